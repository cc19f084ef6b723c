package harness

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseDescription(t *testing.T) {
	got, err := parseDescription("input in u1 -1:302,0:20\nscalar weight f4 0.5\noutput out f4 0:300,0:20\ninput table i4 -\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Argument{
		{Kind: Input, Name: "in", Type: U8, Mins: []int{-1, 0}, Shape: []int{302, 20}},
		{Kind: Scalar, Name: "weight", Type: F32, Value: "0.5"},
		{Kind: Output, Name: "out", Type: F32, Mins: []int{0, 0}, Shape: []int{300, 20}},
		{Kind: Input, Name: "table", Type: I32},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"input in u1\n", "input in ?2 0:3\n", "input in u1 0-3\n"} {
		if got, err := parseDescription(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
	if _, err := parseDescription("input in ?2 0:3\n"); !ByItself(err) {
		t.Errorf("a type that is not known is said of the machine: %v", err)
	}
}
