package autoscheduler

import (
	"fmt"
	"strings"

	"gowarp/halideir"
)

// labeler makes names for the loops that splits and fuses create: unique in the stage,
// C identifiers, the same on every run.
type labeler struct{ used map[string]bool }

func newLabeler(st *halideir.Stage) *labeler {
	l := &labeler{used: map[string]bool{}}
	for _, loop := range st.Loops {
		l.used[loop.Label] = true
	}
	return l
}

func (l *labeler) fresh(base, suffix string) string {
	base = strings.ReplaceAll(base, ".", "_") + suffix
	if base[0] == '_' {
		base = "v" + base // of an implicit variable, as _0: names of new ones begin with a letter
	}
	name := base
	for i := 2; l.used[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	l.used[name] = true
	return name
}
