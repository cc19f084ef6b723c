package harness

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"
)

var dtypes = []DType{F16, U8, U16, U32, U64, I8, I16, I32, I64, F32, F64}

func arrays() *rapid.Generator[*Array] {
	return rapid.Custom(func(t *rapid.T) *Array {
		a := NewArray(rapid.SampledFrom(dtypes).Draw(t, "type"), rapid.SliceOfN(rapid.IntRange(1, 5), 0, 4).Draw(t, "shape")...)
		copy(a.Data, rapid.SliceOfN(rapid.Byte(), len(a.Data), len(a.Data)).Draw(t, "data"))
		return a
	})
}

func TestNPYRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	rapid.Check(t, func(t *rapid.T) {
		a := arrays().Draw(t, "array")
		if err := WriteNPY(path, a); err != nil {
			t.Fatal(err)
		}
		b, err := ReadNPY(path)
		if err != nil {
			t.Fatal(err)
		}
		if a.Type != b.Type || !slices.Equal(a.Shape, b.Shape) || !slices.Equal(a.Data, b.Data) {
			t.Fatal(cmp.Diff(a, b))
		}
	})
}

func TestNPYRefuses(t *testing.T) {
	file := func(header, data string) []byte {
		b := append([]byte(nil), npyMagic...)
		return append(append(b, byte(len(header)), 0), header+data...)
	}
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"empty", "not an .npy file", nil},
		{"version", "not an .npy file", []byte("\x93NUMPY\x02\x00\x00\x00")},
		{"cut header", "header of", file("{'descr'", "")[:14]},
		{"no shape", "lacks", file("{'descr': '<f4', 'fortran_order': False, }", "")},
		{"big endian", "lacks", file("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd")},
		{"half", "lacks", file("{'descr': '<f16', 'fortran_order': False, 'shape': (1,), }", "ab")},
		{"odd type", "not supported", file("{'descr': '<f1', 'fortran_order': False, 'shape': (1,), }", "a")},
		{"fortran", "fortran_order", file("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "abcd")},
		{"short data", "bytes of data", file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "abcd")},
		{"huge", "not usable", file("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999, 99999999), }", "")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := parseNPY(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func FuzzParseNPY(f *testing.F) {
	f.Add([]byte("\x93NUMPY\x01\x00\x3b\x00{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\nabcdef"))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := parseNPY(b)
		if err == nil && a.Len() > len(b) {
			t.Errorf("%d elements from %d bytes", a.Len(), len(b))
		}
	})
}

func TestCrop(t *testing.T) {
	a := NewArray(U16, 5, 4, 3)
	for i := range a.Len() {
		a.Data[2*i], a.Data[2*i+1] = byte(i), byte(i>>8)
	}
	c, err := a.Crop(2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Shape, []int{2, 3, 3}) {
		t.Fatalf("shape %v", c.Shape)
	}
	for i := range c.Len() {
		at := c.Index(i)
		if want := int64(at[0] + 5*at[1] + 20*at[2]); c.Int(i) != want {
			t.Errorf("at %v: %d, want %d", at, c.Int(i), want)
		}
	}
	if _, err := a.Crop(6); err == nil {
		t.Error("a crop larger than the array passed")
	}
}
