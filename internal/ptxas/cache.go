package ptxas

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"gowarp/internal/wholefile"
)

// cacheFormat is part of every key: files of another form are never found.
const cacheFormat = "gowarp ptxas 1"

// Cache keeps what ptxas said, a file for each text that was asked about, in a directory. One that cannot be read or written only takes
// time: what is not found there, or is damaged, is asked again.
type Cache struct{ Dir string }

// DefaultCache is in the user's directory for caches, or where GOWARP_CACHE says.
func DefaultCache() Cache {
	if dir := os.Getenv("GOWARP_CACHE"); dir != "" {
		return Cache{filepath.Join(dir, "ptxas")}
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return Cache{}
	}
	return Cache{filepath.Join(dir, "gowarp", "ptxas")}
}

// Key is that of everything that an answer follows from.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range append([]string{cacheFormat}, parts...) {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// entryOf is what a file holds: the key again, by which one that was cut or mixed up is known.
type entryOf struct {
	Key  string `json:"key"`
	Uses []Use  `json:"uses"`
}

// Get is what is kept under a key.
func (c Cache) Get(key string) ([]Use, bool) {
	if c.Dir == "" {
		return nil, false
	}
	text, err := os.ReadFile(filepath.Join(c.Dir, key+".json"))
	if err != nil {
		return nil, false
	}
	var e entryOf
	if json.Unmarshal(text, &e) != nil || e.Key != key {
		return nil, false
	}
	return e.Uses, true
}

// Put keeps an answer. A reader sees all of a file or none.
func (c Cache) Put(key string, uses []Use) error {
	if c.Dir == "" {
		return nil
	}
	text, err := json.Marshal(entryOf{key, uses})
	if err != nil {
		return fmt.Errorf("ptxas: %w", err)
	}
	if err := os.MkdirAll(c.Dir, 0o777); err != nil {
		return fmt.Errorf("ptxas: %w", err)
	}
	if err := wholefile.Write(filepath.Join(c.Dir, key+".json"), text); err != nil {
		return fmt.Errorf("ptxas: %w", err)
	}
	return nil
}
