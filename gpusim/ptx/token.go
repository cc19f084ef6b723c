package ptx

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// token is a word or a punctuation mark of the text.
type token struct {
	text string
	line int
}

// lexer splits a text into tokens, on demand.
type lexer struct {
	src  string
	pos  int
	line int
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '%' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// next returns the next token; its text is "" at the end.
func (l *lexer) next() (token, error) {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		rest := l.src[l.pos:]
		switch {
		case c == '\n':
			l.line++
			l.pos++
		case c == ' ' || c == '\t' || c == '\r':
			l.pos++
		case c == 0 && strings.Trim(rest, "\x00") == "":
			l.pos = len(l.src) // a C string's end
		case strings.HasPrefix(rest, "//"):
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				l.pos += n
			} else {
				l.pos = len(l.src)
			}
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return token{}, &Error{l.line, "a comment that does not end"}
			}
			l.line += strings.Count(rest[:n+4], "\n")
			l.pos += n + 4
		case isWord(c):
			n := 1
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
			l.pos += n
			return token{rest[:n], l.line}, nil
		case strings.IndexByte("{}[](),;:@!+-=<>|", c) >= 0:
			l.pos++
			return token{rest[:1], l.line}, nil
		case c == '"':
			n := strings.IndexAny(rest[1:], "\"\n")
			if n < 0 || rest[n+1] == '\n' {
				return token{}, &Error{l.line, "a string that does not end"}
			}
			l.pos += n + 2
			return token{rest[:n+2], l.line}, nil
		default:
			return token{}, &Error{l.line, fmt.Sprintf("unexpected character %q", c)}
		}
	}
	return token{"", l.line}, nil
}

// number reads an integer or float literal. Integers come back as 64-bit two's
// complement; width is 32 or 64 for floats written as bit patterns or decimals.
func number(s string) (bits uint64, width uint8, err error) {
	if len(s) > 2 && s[0] == '0' {
		switch s[1] {
		case 'f', 'F':
			if len(s) != 10 {
				return 0, 0, fmt.Errorf("%s is not a 32-bit float: 8 hexadecimal digits follow 0f", s)
			}
			bits, err = strconv.ParseUint(s[2:], 16, 32)
			return bits, 32, err
		case 'd', 'D':
			if len(s) != 18 {
				return 0, 0, fmt.Errorf("%s is not a 64-bit float: 16 hexadecimal digits follow 0d", s)
			}
			bits, err = strconv.ParseUint(s[2:], 16, 64)
			return bits, 64, err
		}
	}
	if strings.Contains(s, ".") {
		f, err := strconv.ParseFloat(s, 64)
		return math.Float64bits(f), 64, err
	}
	digits := strings.TrimSuffix(s, "U")
	// Underscores are Go's, not PTX's.
	if strings.Contains(digits, "_") {
		return 0, 0, fmt.Errorf("%s is not a number", s)
	}
	bits, err = strconv.ParseUint(digits, 0, 64)
	return bits, 0, err
}
