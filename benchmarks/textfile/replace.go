package textfile

import (
	"os"

	"gowarp/internal/wholefile"
)

// Replace makes a file of these bytes. Whoever reads it meanwhile has the old file, whole, and so it stays where they
// cannot all be written, as on a full disk.
// What is no ordinary file, as /dev/stdout or a link, is written to.
func Replace(path string, content []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, content, 0o666)
	}
	return wholefile.Write(path, content)
}
