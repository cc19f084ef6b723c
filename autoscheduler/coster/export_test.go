package coster

// SearchWith is Best with bounds that are too high by a factor, for a test that has to see what that loses.
func (m *WarpTiles) SearchWith(set *TilingSet, factor float64) Searched {
	return m.search(set, nil, factor)
}

// Anew is the group with nothing worked out yet.
func (m *WarpTiles) Anew() *WarpTiles {
	again, err := NewWarpTiles(m.pr, m.g, m.stage)
	if err != nil {
		panic(err)
	}
	return again
}
