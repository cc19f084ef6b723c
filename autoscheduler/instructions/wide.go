package instructions

// wide is what vectors are worth in a kernel by the account of bridge/halidecc/addresschains.cc, which makes them where accesses and addresses together are fewer than without: of what stands in the
// code, however often it runs.
type wide struct {
	saved     float64 // loads and stores
	addresses float64 // more than without
}

// What addresses cost by that account. A single row of a buffer has one that is part of its access.
const (
	vectorAddress  = 3
	elementAddress = 1
)

func (w *wide) add(o *wide, n float64) {
	w.saved += n * o.saved
	w.addresses += n * o.addresses
}

// pay reports whether there are vectors and they are worth their addresses.
func (w *wide) pay() bool { return w.saved > w.addresses }

// loads adds the addresses of rows that are loaded by vectors.
func (w *wide) loads(seen *seen, sources [][2]int) {
	w.addresses += (vectorAddress - elementAddress) * float64(seen.wideRows.Len())
	for _, from := range sources {
		if buffer := uint64(placeKey(from[0], from[1], 0, nil, nil)); seen.wideBuffers.Has(buffer) && !seen.steps.Has(buffer) {
			w.addresses += elementAddress
		}
	}
}

// stores adds rows that are stored by vectors.
func (w *wide) stores(saved, rows float64) {
	w.saved += saved
	if w.addresses += vectorAddress * rows; rows > 1 {
		w.addresses -= elementAddress * rows
	}
}
