package halideir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// maxNesting bounds the brackets within brackets of a document. The form needs
// eight; gjson recurses, and a goroutine's stack is finite.
const maxNesting = 64

// path is where in the document a value stands; it costs nothing until an
// error is written.
type path struct {
	up    *path
	key   string
	index int
}

func (p *path) field(key string) path { return path{up: p, key: key, index: -1} }
func (p *path) elem(i int) path       { return path{up: p, index: i} }

func (p *path) String() string {
	var parts []string
	for q := p; q != nil; q = q.up {
		switch {
		case q.key != "":
			parts = append(parts, "."+q.key)
		case q.index >= 0:
			parts = append(parts, "["+strconv.Itoa(q.index)+"]")
		}
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return strings.TrimPrefix(b.String(), ".")
}

// reader turns gjson values into Go values and keeps the first error.
type reader struct{ err error }

func (r *reader) fail(p *path, format string, args ...any) {
	if r.err != nil {
		return
	}
	where := p.String()
	if where == "" {
		where = "the document"
	}
	r.err = fmt.Errorf("halideir: %s: %s", where, fmt.Sprintf(format, args...))
}

// describe names a value for an error without quoting megabytes.
func describe(v gjson.Result) string {
	switch {
	case !v.Exists():
		return "nothing"
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "an array"
	case v.Type == gjson.String:
		return "the string " + strconv.Quote(clip(v.Str, 40))
	default:
		return clip(v.Raw, 40)
	}
}

func clip(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

func (r *reader) object(p *path, v gjson.Result, each func(key string, v gjson.Result, at *path)) {
	if r.err != nil {
		return
	}
	if !v.IsObject() {
		r.fail(p, "want an object, have %s", describe(v))
		return
	}
	v.ForEach(func(k, v gjson.Result) bool {
		at := p.field(k.Str)
		each(k.Str, v, &at)
		return r.err == nil
	})
}

func (r *reader) array(p *path, v gjson.Result, each func(v gjson.Result, at *path)) {
	if r.err != nil {
		return
	}
	if !v.IsArray() {
		r.fail(p, "want an array, have %s", describe(v))
		return
	}
	i := 0
	v.ForEach(func(_, v gjson.Result) bool {
		at := p.elem(i)
		each(v, &at)
		i++
		return r.err == nil
	})
}

func (r *reader) str(p *path, v gjson.Result) string {
	if v.Type != gjson.String {
		r.fail(p, "want a string, have %s", describe(v))
		return ""
	}
	return v.Str
}

func (r *reader) strs(p *path, v gjson.Result) []string {
	var out []string
	r.array(p, v, func(v gjson.Result, at *path) { out = append(out, r.str(at, v)) })
	return out
}

func (r *reader) boolean(p *path, v gjson.Result) bool {
	if v.Type != gjson.True && v.Type != gjson.False {
		r.fail(p, "want true or false, have %s", describe(v))
	}
	return v.Type == gjson.True
}

func (r *reader) int64(p *path, v gjson.Result) int64 {
	if v.Type != gjson.Number {
		r.fail(p, "want an integer, have %s", describe(v))
		return 0
	}
	n, err := strconv.ParseInt(v.Raw, 10, 64)
	if err != nil {
		r.fail(p, "%s is not an integer of 64 bits", describe(v))
	}
	return n
}

func (r *reader) uint64(p *path, v gjson.Result) uint64 {
	if v.Type != gjson.Number {
		r.fail(p, "want an integer, have %s", describe(v))
		return 0
	}
	n, err := strconv.ParseUint(v.Raw, 10, 64)
	if err != nil {
		r.fail(p, "%s is not an unsigned integer of 64 bits", describe(v))
	}
	return n
}

// index reads an integer in 0..2^31-1: an id, a count or a position.
func (r *reader) index(p *path, v gjson.Result) int {
	n := r.int64(p, v)
	if r.err == nil && (n < 0 || n > math.MaxInt32) {
		r.fail(p, "%d is not in 0..%d", n, math.MaxInt32)
	}
	return int(n)
}

func (r *reader) indices(p *path, v gjson.Result) []int {
	var out []int
	r.array(p, v, func(v gjson.Result, at *path) { out = append(out, r.index(at, v)) })
	return out
}

func (r *reader) node(p *path, v gjson.Result) NodeID { return NodeID(r.index(p, v)) }

func (r *reader) nodes(p *path, v gjson.Result) []NodeID {
	var out []NodeID
	r.array(p, v, func(v gjson.Result, at *path) { out = append(out, r.node(at, v)) })
	return out
}

func (r *reader) float(p *path, v gjson.Result) float64 {
	switch {
	case v.Type == gjson.Number:
		f, err := strconv.ParseFloat(v.Raw, 64)
		if err != nil {
			r.fail(p, "%s is not a number of 64 bits", describe(v))
		}
		return f
	case v.Type == gjson.String && v.Str == "nan":
		return math.NaN()
	case v.Type == gjson.String && v.Str == "inf":
		return math.Inf(1)
	case v.Type == gjson.String && v.Str == "-inf":
		return math.Inf(-1)
	}
	r.fail(p, `want a number, "nan", "inf" or "-inf", have %s`, describe(v))
	return 0
}

func (r *reader) typ(p *path, v gjson.Result) Type {
	t, err := ParseType(r.str(p, v))
	if err != nil {
		r.fail(p, "%v", err)
	}
	return t
}

// checkNesting refuses documents nested so deeply that a recursive reader
// would run out of stack.
func checkNesting(data []byte) error {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			if depth++; depth > maxNesting {
				return fmt.Errorf("halideir: byte %d: brackets nested more than %d deep", i, maxNesting)
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}
