package textfile

import "os"

// Replace makes a file of these bytes. Whoever reads it meanwhile has the old file, whole, and so it stays where they
// cannot all be written, as on a full disk.
func Replace(path string, content []byte) error {
	tmp := path + ".new"
	if err := os.WriteFile(tmp, content, 0o666); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return os.Rename(tmp, path)
}
