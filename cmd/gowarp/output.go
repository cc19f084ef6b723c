package main

import "io"

// output is a writer that keeps the first error. cli drops those of the help that it prints,
// and a full disk would go unsaid.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// forChild is what a command that gowarp runs writes to: the file itself, which may be a
// terminal, not a pipe to it.
func forChild(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.Writer
	}
	return w
}
