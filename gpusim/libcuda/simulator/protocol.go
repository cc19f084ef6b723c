// Package simulator is the process behind the stand-in driver: it serves the calls
// of one host program over a socket, runs kernels on device memory that the two
// processes share, and writes what it counted and found as a report.
//
// It knows CUDA's error codes and which of them a GPU's driver would give. What a
// kernel does is package exec's business.
package simulator

import (
	"encoding/binary"
	"io"
)

// The messages; driver/libcuda.c has the same list. A message is two 64-bit numbers,
// the operation and the bytes that follow; a reply is the CUDA error code and
// the bytes that follow.
const (
	opHello = 1 + iota
	opLoad
	opUnload
	opFunction
	opAlloc
	opFree
	opLaunch
	opWrote
	opRead
	opCopy
	opSync
)

// code is a CUresult.
type code int64

// CUDA's numbers.
const (
	success            code = 0
	invalidValue       code = 1
	outOfMemory        code = 2
	invalidImage       code = 200
	noBinaryForGPU     code = 209
	invalidPTX         code = 218
	unsupportedVersion code = 222
	invalidHandle      code = 400
	notFound           code = 500
	illegalAddress     code = 700
	launchTimeout      code = 702
	misalignedAddress  code = 716
	launchFailed       code = 719
	notSupported       code = 801
)

// maxMessage bounds a message; a PTX text is the largest.
const maxMessage = 1 << 30

func readMessage(r io.Reader) (op uint64, payload []byte, err error) {
	var head [16]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint64(head[8:])
	if n > maxMessage {
		return 0, nil, io.ErrUnexpectedEOF
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(r, payload)
	return binary.LittleEndian.Uint64(head[:]), payload, err
}

func writeReply(w io.Writer, c code, words ...uint64) error {
	b := binary.LittleEndian.AppendUint64(nil, uint64(c))
	b = binary.LittleEndian.AppendUint64(b, uint64(8*len(words)))
	for _, x := range words {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	_, err := w.Write(b)
	return err
}

// words reads a payload of n numbers; a shorter one gives zeros.
func words(payload []byte, n int) []uint64 {
	w := make([]uint64, n)
	for i := range w {
		if len(payload) >= 8*(i+1) {
			w[i] = binary.LittleEndian.Uint64(payload[8*i:])
		}
	}
	return w
}
