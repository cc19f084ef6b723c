package replay

import (
	"encoding/binary"
	"fmt"
	"math"

	"gowarp/internal/half"
)

// period is after how many elements the made-up contents of an input begin again: a prime, so that no two rows of an image are alike.
const period = 65521

// contents makes up what inputs hold, by the type of their elements: floats are at least 0 and less than 1, bytes are anything, wider integers as large as unsigned bytes, so that
// sums do not overflow and tables are not missed by far, booleans 0 or 1, and all else is 0. The same place of an input holds the same in every record.
type contents map[string][]byte

// of is a period of elements of a type.
func (c contents) of(typ string) ([]byte, error) {
	if b, ok := c[typ]; ok {
		return b, nil
	}
	var class string
	var bits int
	for i, r := range typ {
		if r >= '0' && r <= '9' {
			if _, err := fmt.Sscanf(typ[i:], "%d", &bits); err != nil {
				return nil, fmt.Errorf("replay: %q is no type", typ)
			}
			class = typ[:i]
			break
		}
	}
	size := (bits + 7) / 8
	if bits < 1 || bits > 64 || size&(size-1) != 0 {
		return nil, fmt.Errorf("replay: %q is no type", typ)
	}
	b := make([]byte, 0, period*size)
	for n := range uint64(period) {
		v := value(class, bits, mixed(n))
		b = append(b, binary.LittleEndian.AppendUint64(nil, v)[:size]...)
	}
	c[typ] = b
	return b, nil
}

// value is an element's bits.
func value(class string, bits int, random uint64) uint64 {
	unit := float64(random>>40) / (1 << 24)
	switch {
	case class == "float" && bits == 64:
		return math.Float64bits(unit)
	case class == "float" && bits == 32:
		return uint64(math.Float32bits(float32(unit)))
	case class == "float" && bits == 16:
		return uint64(half.Round(unit))
	case class == "bfloat":
		return uint64(math.Float32bits(float32(unit)) >> 16)
	case class == "uint" && bits == 1:
		return random >> 63
	case class == "uint" || class == "int":
		return random >> 56
	}
	return 0
}

// mixed is a number that looks like chance (splitmix64).
func mixed(n uint64) uint64 {
	n += 1
	n *= 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// fill writes bytes from byte first on of an input.
func (c contents) fill(to []byte, typ string, first int) error {
	b, err := c.of(typ)
	if err != nil {
		return err
	}
	for at := first % len(b); len(to) > 0; at = 0 {
		n := copy(to, b[at:])
		to = to[n:]
	}
	return nil
}
