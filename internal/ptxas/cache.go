package ptxas

import "gowarp/internal/answers"

// cacheFormat is part of every key.
const cacheFormat = "gowarp ptxas 2"

// Cache keeps what ptxas said, a file for each text that was asked about, in a directory.
type Cache struct{ Dir string }

// DefaultCache is the user's.
func DefaultCache() Cache { return Cache{answers.Dir("ptxas")} }

// Key is that of everything that an answer follows from.
func Key(parts ...string) string { return answers.Key(append([]string{cacheFormat}, parts...)...) }

// Get is what is kept under a key.
func (c Cache) Get(key string) ([]Use, bool) { return answers.Get[[]Use](c.Dir, key) }

// Put keeps an answer.
func (c Cache) Put(key string, uses []Use) error { return answers.Put(c.Dir, key, uses) }
