package replay

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// order is a line of a record.
type order struct {
	verb    string
	text    string   // of module
	to      uint64   // an address
	from    uint64   // of copy
	bytes   int      // how many
	typ     string   // of fill
	first   int      // of fill
	data    []byte   // of write
	kernel  string   // of launch, as what follows
	grid    [3]int   //
	block   [3]int   //
	shared  int      //
	params  [][]byte //
	fileRow int      // for messages
}

// parse reads a record. The error names the line of the record's own.
func parse(text string) ([]order, error) {
	var out []order
	for row := 1; text != ""; row++ {
		line, rest, ended := strings.Cut(text, "\n")
		if !ended {
			return nil, fmt.Errorf("replay: line %d: the record is cut short", row)
		}
		text = rest
		o, err := parseOrder(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("replay: line %d: %w", row, err)
		}
		if o.verb == "module" {
			if o.bytes >= len(text) || text[o.bytes] != '\n' {
				return nil, fmt.Errorf("replay: line %d: a module of %d bytes is cut short", row, o.bytes)
			}
			o.text, text = text[:o.bytes], text[o.bytes+1:]
		}
		o.fileRow = row
		out = append(out, o)
	}
	return out, nil
}

// reader takes the words of an order one by one.
type reader struct {
	words []string
	err   error
}

func (r *reader) word() string {
	if len(r.words) == 0 {
		if r.err == nil {
			r.err = fmt.Errorf("a word is missing")
		}
		return ""
	}
	w := r.words[0]
	r.words = r.words[1:]
	return w
}

func (r *reader) number() int {
	w := r.word()
	n, err := strconv.Atoi(w)
	if r.err == nil && (err != nil || n < 0) {
		r.err = fmt.Errorf("%q is no number", w)
	}
	return n
}

func (r *reader) address() uint64 {
	w := r.word()
	n, err := strconv.ParseUint(w, 16, 64)
	if r.err == nil && err != nil {
		r.err = fmt.Errorf("%q is no address", w)
	}
	return n
}

func (r *reader) data() []byte {
	w := r.word()
	b, err := hex.DecodeString(w)
	if r.err == nil && err != nil {
		r.err = fmt.Errorf("%.20q are no bytes", w)
	}
	return b
}

func parseOrder(words []string) (order, error) {
	r := &reader{words: words}
	o := order{verb: r.word()}
	switch o.verb {
	case "module":
		o.bytes = r.number()
	case "alloc", "zero":
		o.to, o.bytes = r.address(), r.number()
	case "free":
		o.to = r.address()
	case "fill":
		o.to, o.bytes, o.typ, o.first = r.address(), r.number(), r.word(), r.number()
	case "write":
		o.to, o.data = r.address(), r.data()
		o.bytes = len(o.data)
	case "copy":
		o.to, o.from, o.bytes = r.address(), r.address(), r.number()
	case "launch":
		o.kernel = r.word()
		o.grid, o.block = [3]int{r.number(), r.number(), r.number()}, [3]int{r.number(), r.number(), r.number()}
		o.shared = r.number()
		for len(r.words) > 0 {
			o.params = append(o.params, r.data())
		}
	default:
		return o, fmt.Errorf("%q is no order", o.verb)
	}
	if r.err == nil && len(r.words) > 0 {
		r.err = fmt.Errorf("%q is too much", r.words[0])
	}
	return o, r.err
}
