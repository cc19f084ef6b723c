package halideir_test

import (
	"bytes"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"

	"gowarp/halideir"
	"gowarp/halideir/access"
)

var (
	numbers = regexp.MustCompile(`-?\b[0-9]+\b`)
	words   = regexp.MustCompile(`"(op|t|kind|ct|field|name|reduce)":"[^"]*"`)
)

// TestMutated changes a few numbers and words of real dumps, which keeps the
// document well formed far more often than a fuzzer's bytes do. What Decode
// then accepts, the analyses must survive.
func TestMutated(t *testing.T) {
	docs := dumps(t)
	var names []string
	for name := range docs {
		names = append(names, name)
	}
	slices.Sort(names)
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		data := bytes.Clone(docs[rapid.SampledFrom(names).Draw(t, "document")])
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			if rapid.Bool().Draw(t, "number") {
				at := rapid.SampledFrom(numbers.FindAllIndex(data, -1)).Draw(t, "place")
				n := rapid.SampledFrom([]string{"-1", "0", "1", "2", "3", "7", "11", "50", "255", "2147483647", "4294967296", "null"}).Draw(t, "value")
				data = slices.Concat(data[:at[0]], []byte(n), data[at[1]:])
				continue
			}
			all := words.FindAllIndex(data, -1)
			at, from := rapid.SampledFrom(all).Draw(t, "place"), rapid.SampledFrom(all).Draw(t, "from")
			data = slices.Concat(data[:at[0]], data[from[0]:from[1]], data[at[1]:])
		}
		p, err := halideir.Decode(data)
		if err != nil {
			refused++
			return
		}
		accepted++
		use(t, p)
	})
	if accepted == 0 || refused == 0 {
		t.Errorf("%d accepted, %d refused: the test shows nothing", accepted, refused)
	}
}

func use(t interface{ Error(...any) }, p *halideir.Pipeline) {
	if err := p.Print(&bytes.Buffer{}); err != nil {
		t.Error(err)
	}
	access.Analyze(p)
	env := halideir.Env{Lo: []int64{0, 8}, Hi: []int64{31, 15}, Dim: []int64{3, -3}, RVar: []int64{1}}
	for i := range p.Nodes {
		p.EvalInt(halideir.NodeID(i), env)
		p.Expr(halideir.NodeID(i))
	}
}
