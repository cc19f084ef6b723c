// Package answers keeps on disk what took long to learn, a file for each question, by the content of everything that the answer follows from. What is not
// found there, or is damaged, is learned again: a cache that cannot be read or written only takes time.
package answers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"gowarp/internal/wholefile"
)

// Dir is where answers of one kind are kept: in the user's directory for caches, or where GOWARP_CACHE says; "" where there is no such place.
func Dir(kind string) string {
	if dir := os.Getenv("GOWARP_CACHE"); dir != "" {
		return filepath.Join(dir, kind)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "gowarp", kind)
}

// Key is that of a question. The first part is the form of the answer: files of another form are never found.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// file is what one holds: the key again and the digest of the answer, by which one that was cut, mixed up or changed is known.
type file struct {
	Key    string          `json:"key"`
	Digest string          `json:"digest"`
	Answer json.RawMessage `json:"answer"`
}

func digest(answer []byte) string {
	sum := sha256.Sum256(answer)
	return hex.EncodeToString(sum[:])
}

// Get is what is kept in a directory under a key.
func Get[T any](dir, key string) (answer T, ok bool) {
	if !filepath.IsAbs(dir) {
		return answer, false
	}
	text, err := os.ReadFile(filepath.Join(dir, key+".json"))
	if err != nil {
		return answer, false
	}
	var f file
	if json.Unmarshal(text, &f) != nil || f.Key != key || f.Digest != digest(f.Answer) || json.Unmarshal(f.Answer, &answer) != nil {
		var none T
		return none, false
	}
	return answer, true
}

// Put keeps an answer. A reader sees all of a file or none.
func Put[T any](dir, key string, answer T) error {
	if dir == "" {
		return nil
	}
	if !filepath.IsAbs(dir) { // a build runs in many folders
		return fmt.Errorf("answers: %s is no absolute path", dir)
	}
	of, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("answers: %w", err)
	}
	text, err := json.Marshal(file{key, digest(of), of})
	if err != nil {
		return fmt.Errorf("answers: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("answers: %w", err)
	}
	if err := wholefile.Write(filepath.Join(dir, key+".json"), text); err != nil {
		return fmt.Errorf("answers: %w", err)
	}
	return nil
}
