package autoscheduler

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/grouping"
	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
)

// TestTable reads every row: its default is one of its values, and setting any value
// shows in Params and nowhere else.
func TestTable(t *testing.T) {
	for _, row := range Table {
		if row.Help == "" {
			t.Errorf("%s has no help", row.Key)
		}
		for _, v := range row.Values {
			p, err := ParseParams(map[string]string{row.Key: v})
			if err != nil {
				t.Errorf("%s=%s: %v", row.Key, v, err)
			}
			if got := row.get(&p); got != v {
				t.Errorf("%s=%s reads back as %q", row.Key, v, got)
			}
		}
	}
	for key, names := range map[string][]string{
		"cost": slices.Sorted(maps.Keys(coster.ByName)), "grouping": slices.Sorted(maps.Keys(grouping.ByName)), "tiling": slices.Sorted(maps.Keys(strategy.Tilings)),
		"effort": slices.Sorted(maps.Keys(search.Efforts)),
	} {
		i := slices.IndexFunc(Table, func(r Param) bool { return r.Key == key })
		if values := slices.Sorted(slices.Values(Table[i].Values)); !slices.Equal(values, names) {
			t.Errorf("%s takes %v, there are %v", key, values, names)
		}
	}
	if n := reflect.TypeFor[Params]().NumField(); n != len(Table) {
		t.Errorf("Params has %d fields, the table %d rows", n, len(Table))
	}
}

func TestParseParamsErrors(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"modee", "autogpu", `unknown parameter modee (did you mean "mode"?)`},
		{"xyzzy", "1", "unknown parameter xyzzy; the parameters are mode"},
		{"check", "2", `check=2: check is one of 0, 1`},
		{"fusion", "overlapp", `fusion=overlapp: fusion is one of none, overlap, nested, auto (did you mean "overlap"?)`},
		{"parallelism", "0", "parallelism=0: a whole number from 1 to 65536 is wanted"},
		{"parallelism", "many", "parallelism=many: a whole number"},
		{"max_registers", "999", "from 16 to 255"},
		{"gpu", "", "gpu= is empty"},
	} {
		_, err := ParseParams(map[string]string{c.key: c.value})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: error %v, want one with %q", c.key, c.value, err, c.want)
		} else if offer := "did you mean"; strings.Contains(err.Error(), offer) != strings.Contains(c.want, offer) {
			t.Errorf("%s=%s: error %v, want %q", c.key, c.value, err, c.want)
		}
	}
}

func TestPassOrder(t *testing.T) {
	if err := checkOrder(passes); err != nil {
		t.Error(err)
	}
	for i := range passes {
		for j := range i {
			swapped := append([]pass(nil), passes...)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			if err := checkOrder(swapped); err == nil {
				t.Errorf("%s and %s may change places: one of them should name the other", passes[j].name, passes[i].name)
			}
		}
	}
}

// paperParams are those of a test about what listing 1 and tiles of blocks make of a pipeline.
func paperParams() Params {
	p, err := ParseParams(map[string]string{"mode": "autogpu"})
	if err != nil {
		panic(err)
	}
	return p
}

// TestReadmeTable: the README's table has a row for each parameter, with its default and every word
// that it takes.
func TestReadmeTable(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(readme)) {
		if key, ok := strings.CutPrefix(line, "| `"); ok {
			rows[key[:strings.Index(key, "`")]] = line
		}
	}
	for _, row := range Table {
		line, ok := rows[row.Key]
		if !ok {
			t.Errorf("the README has no row for %s", row.Key)
		}
		for _, w := range append(row.Values, row.Default) {
			if !strings.Contains(line, w) {
				t.Errorf("the README's row for %s lacks %s", row.Key, w)
			}
		}
		delete(rows, row.Key)
	}
	for key := range rows {
		t.Errorf("the README has a row for %s, which is no parameter", key)
	}
}

// TestToldWithSchedule: what a schedule says of its parameters, by default and where each has another value.
func TestToldWithSchedule(t *testing.T) {
	want := map[string]string{"mode": "gowarp", "fusion": "nested", "grouping": "auto", "tiling": "all", "cost": "time", "effort": "normal", "search": "model", "max_registers": "64"}
	if got := DefaultParams().Map(); !maps.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	for key, c := range map[string]struct {
		value string
		told  bool
	}{
		"reassociate": {"0", true}, "write_out": {"0", true}, "gpu": {"h200", true}, "parallelism": {"3", true}, "shared_memory_limit_kb": {"4", true}, "warp_tile": {"2x4x4", true}, "frac_reg": {".5", true},
		"weights": {"file", true}, "any_size": {"0", false}, "check": {"0", false}, "dump": {"file", false}, "schedule": {"file", false}, "registers": {"file", false}, "machine": {"file", false},
	} {
		var p Params
		i := slices.IndexFunc(Table, func(r Param) bool { return r.Key == key })
		if err := Table[i].set(&p, c.value); err != nil {
			t.Fatal(err)
		}
		if got, told := p.Map()[key]; told != c.told || told && got != c.value {
			t.Errorf("%s=%s: a schedule says %q, %v", key, c.value, got, told)
		}
	}
}
