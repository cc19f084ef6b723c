package harness

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Halide's .npy files are not NumPy's: Halide writes its own dimension order into
// "shape" (x first), its planar data (x contiguous) after it, and says
// 'fortran_order': False, which is wrong for more than one dimension. It also refuses
// headers that are not padded to 64 bytes. General .npy libraries write 16-byte
// padding and cannot say this, so the few lines it takes are here; the Python side is
// scripts/halide_npy.py.

var npyMagic = []byte("\x93NUMPY\x01\x00")

var (
	npyDescr   = regexp.MustCompile(`'descr':\s*'[<|]([uif][1248])'`)
	npyFortran = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape':\s*\(([0-9, ]*)\)`)
)

// maxElements bounds what a header may ask for, so that a damaged file is an error
// and not an attempt to allocate it.
const maxElements = 1 << 31

// ReadNPY reads an array that Halide or halide_npy.py wrote.
func ReadNPY(path string) (*Array, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a, err := parseNPY(b)
	if err != nil {
		return nil, fmt.Errorf("harness: %s: %w", path, err)
	}
	return a, nil
}

func parseNPY(b []byte) (*Array, error) {
	if len(b) < 10 || !bytes.HasPrefix(b, npyMagic) {
		return nil, fmt.Errorf("not an .npy file of version 1.0")
	}
	end := 10 + int(binary.LittleEndian.Uint16(b[8:]))
	if end > len(b) {
		return nil, fmt.Errorf("header of %d bytes in a file of %d", end, len(b))
	}
	header := string(b[10:end])
	descr, fortran, shape := npyDescr.FindStringSubmatch(header), npyFortran.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if descr == nil || fortran == nil || shape == nil {
		return nil, fmt.Errorf("header %q lacks a known 'descr', 'fortran_order' or 'shape'", header)
	}
	a := &Array{Type: DType(descr[1])}
	if a.Type.Size() == 0 {
		return nil, fmt.Errorf("element type %q is not supported", descr[1])
	}
	if fortran[1] == "True" {
		return nil, fmt.Errorf("'fortran_order': True; Halide's files never say so, write it with halide_npy.py")
	}
	n := 1
	for _, f := range strings.FieldsFunc(shape[1], func(r rune) bool { return r == ',' || r == ' ' }) {
		e, err := strconv.Atoi(f)
		if err != nil || e < 0 || (e > 0 && n > maxElements/e) {
			return nil, fmt.Errorf("shape (%s) is not usable", shape[1])
		}
		n *= e
		a.Shape = append(a.Shape, e)
	}
	a.Data = b[end:]
	if len(a.Data) != n*a.Type.Size() {
		return nil, fmt.Errorf("%d bytes of data, the header says %d elements of %s", len(a.Data), n, a.Type)
	}
	return a, nil
}

// WriteNPY writes an array as Halide reads it.
func WriteNPY(path string, a *Array) error {
	var shape strings.Builder
	for _, e := range a.Shape {
		fmt.Fprintf(&shape, "%d,", e)
	}
	s := shape.String()
	if len(a.Shape) > 1 {
		s = strings.TrimSuffix(s, ",")
	}
	order := "<"
	if a.Type.Size() == 1 {
		order = "|"
	}
	descr := a.Type
	if descr == Bool {
		descr = U8 // Halide's functions know no 'b1'; the runner knows where a byte is one
	}
	header := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, descr, s)
	pad := 63 - (10+len(header))%64
	header += strings.Repeat(" ", pad) + "\n"
	b := append([]byte(nil), npyMagic...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	b = append(b, header...)
	b = append(b, a.Data...)
	return os.WriteFile(path, b, 0o666)
}
