package occupancy

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// ErrUnknownDevice is what a failed [Lookup] wraps.
var ErrUnknownDevice = errors.New("unknown device")

// Lookup returns the device a user means by name. It takes
//
//   - a device's name, title or common short form, whatever the case, spaces,
//     dashes and the words NVIDIA, GeForce and Tesla: "h200",
//     "GTX-1080-Ti", "NVIDIA GeForce RTX 4090", "3090";
//   - a compute capability, for its representative: "sm_86", "compute_86",
//     "cc8.6", "8.6", "86", "sm_90a";
//   - "generic", or "opencl", "metal", "vulkan", which mean the same.
//
// A capability that is not in the table is an error naming its neighbours: who
// types one means exactly it. [ForCapability] is for code that wants the
// nearest instead.
func Lookup(name string) (Device, error) {
	key := normalize(name)
	if key == "" {
		return Device{}, fmt.Errorf("%w: the name is empty; use one such as %q or %q", ErrUnknownDevice, "h200", "sm_86")
	}
	if i, ok := index[key]; ok {
		return table[i], nil
	}
	if cc, ok := parseCapability(key); ok {
		a, exact := architectureOf(cc)
		if !exact {
			return Device{}, unknownCapability(name, cc)
		}
		return deviceNamed(a.representative), nil
	}
	return Device{}, unknownName(name, key)
}

// ForCapability returns the table's representative of a compute capability,
// given times ten, and true. Where the table lacks the capability it returns
// the representative of the nearest older one, whose binaries and limits a
// newer GPU of the same family nearly always honours, or of the oldest in the
// table if there is none older, and false.
func ForCapability(cc int) (Device, bool) {
	a, exact := architectureOf(cc)
	return deviceNamed(a.representative), exact
}

// index finds a device's place in table by every normalized name it goes by.
var index = buildIndex()

func buildIndex() map[string]int {
	byName := make(map[string]int, len(table))
	m := make(map[string]int)
	for i, d := range table {
		byName[d.Name] = i
		m[normalize(d.Name)] = i
		m[normalize(d.Title)] = i
	}
	for _, p := range products {
		for _, alias := range p.aliases {
			m[normalize(alias)] = byName[p.name]
		}
	}
	for alias, name := range map[string]string{
		"opencl": "generic", "metal": "generic", "vulkan": "generic",
		"intel": "iris-xe", "a770": "arc-a770",
	} {
		m[normalize(alias)] = byName[name]
	}
	return m
}

// normalize drops what does not tell devices apart.
func normalize(name string) string {
	s := strings.ToLower(name)
	for _, word := range []string{"nvidia", "geforce", "tesla", "intel"} {
		if t := strings.TrimLeft(strings.Replace(s, word, "", 1), " -_"); t != "" {
			s = t
		}
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// parseCapability reads a normalized compute capability. A bare number must be
// a plausible one, so that "1660" is taken for a GPU we do not have.
func parseCapability(key string) (cc int, ok bool) {
	digits, prefixed := key, false
	for _, prefix := range []string{"sm", "compute", "cc", "cudacapability"} {
		if rest, found := strings.CutPrefix(key, prefix); found {
			digits, prefixed = rest, true
			break
		}
	}
	// sm_90a and sm_100f are instruction-set variants of one architecture.
	if prefixed {
		digits = strings.TrimRight(digits, "af")
	}
	cc, err := strconv.Atoi(digits)
	if err != nil || cc < 10 || cc > 999 || !prefixed && cc >= 200 {
		return 0, false
	}
	return cc, true
}

func unknownCapability(name string, cc int) error {
	var near []string
	older, newer := -1, -1
	for i := range architectures {
		switch {
		case architectures[i].capability < cc:
			older = i
		case newer < 0:
			newer = i
		}
	}
	for _, i := range []int{older, newer} {
		if i >= 0 {
			a := &architectures[i]
			near = append(near, fmt.Sprintf("sm_%d (%s)", a.capability, a.representative))
		}
	}
	nearest := "the nearest is " + near[0]
	if len(near) > 1 {
		nearest = "the nearest are " + strings.Join(near, " and ")
	}
	return fmt.Errorf("%w %q: the table has no GPU of compute capability %s; %s", ErrUnknownDevice, name, capabilityString(cc), nearest)
}

func unknownName(name, key string) error {
	if near := suggest(key, 3); len(near) > 0 {
		return fmt.Errorf("%w %q: did you mean %s?", ErrUnknownDevice, name, strings.Join(near, ", "))
	}
	var all []string
	for _, d := range table {
		all = append(all, d.Name)
	}
	return fmt.Errorf("%w %q: use a compute capability such as sm_86, or one of %s",
		ErrUnknownDevice, name, strings.Join(all, ", "))
}

// suggest returns at most limit device names within a typing error or two of
// key, the nearest first.
func suggest(key string, limit int) []string {
	allowed := max(1, len(key)/3)
	best := make(map[string]int)
	offer := func(candidate, name string) {
		n := editDistance(key, candidate)
		if strings.HasPrefix(candidate, key) { // cut short
			n = 0
		}
		if n <= allowed {
			if old, ok := best[name]; !ok || n < old {
				best[name] = n
			}
		}
	}
	for candidate, i := range index {
		offer(candidate, table[i].Name)
	}
	for _, a := range architectures {
		offer("sm"+strconv.Itoa(a.capability), "sm_"+strconv.Itoa(a.capability))
	}
	names := make([]string, 0, len(best))
	for name := range best {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		if a, b := best[names[i]], best[names[j]]; a != b {
			return a < b
		}
		return names[i] < names[j]
	})
	// A name two typing errors farther than the best is noise beside it.
	n := 0
	for n < min(limit, len(names)) && best[names[n]] <= best[names[0]]+1 {
		n++
	}
	return names[:n]
}

// editDistance is the number of insertions, deletions, substitutions and swaps
// of neighbours that turn a into b (Damerau 1964, in the restricted form that
// edits no substring twice).
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			substitution := last[j-1]
			if a[i-1] != b[j-1] {
				substitution++
			}
			row[j] = min(substitution, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
