package textfile

import "os"

// Replace makes a file of these bytes. Whoever reads it meanwhile has the old file, whole, and so it stays where they
// cannot all be written, as on a full disk.
// What is no ordinary file, as /dev/stdout or a link, is written to.
func Replace(path string, content []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, content, 0o666)
	}
	tmp := path + ".new"
	if err := os.WriteFile(tmp, content, 0o666); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return os.Rename(tmp, path)
}
