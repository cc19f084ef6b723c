package schedule

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// The structs below are the JSON form of FORMAT.md section 2, in its order.

type shapeJSON struct {
	Name       string     `json:"name"`
	Stages     [][]string `json:"stages"`
	WrittenOut int        `json:"written_out,omitempty"` // updates that are in the definition
	FusedInit  bool       `json:"fused_init,omitempty"`  // the first update has the definition
	HeldReads  bool       `json:"held_reads,omitempty"`  // its reads are held within what is needed of it
	Local      bool       `json:"local,omitempty"`       // made to hold what another copies
	Separated  string     `json:"separated,omitempty"`   // made to combine parts of windows
}

type kernelJSON struct {
	Func        int          `json:"func"`
	Stage       int          `json:"stage"`
	Name        string       `json:"name"`
	Strategy    string       `json:"strategy"`
	API         string       `json:"api"`
	Note        string       `json:"note,omitempty"`
	Blocks      [3]int64     `json:"blocks"`
	Threads     [3]int64     `json:"threads"`
	SharedBytes int64        `json:"shared_bytes"`
	Registers   int          `json:"registers"`
	Occupancy   number       `json:"occupancy"`
	Limiters    []string     `json:"limiters"`
	Members     []memberJSON `json:"members"`
	Inlined     []string     `json:"inlined"`
	Cost        costJSON     `json:"cost"`
}

type memberJSON struct {
	Func    int     `json:"func"`
	Name    string  `json:"name"`
	Level   string  `json:"level"`
	Memory  Memory  `json:"memory"`
	Extents []int64 `json:"extents"`
	Bytes   int64   `json:"bytes"`
}

type costJSON struct {
	Name  string `json:"name"`
	Value number `json:"value"`
}

type levelJSON struct {
	Func  int    `json:"func"`
	Name  string `json:"name"`
	Stage int    `json:"stage"`
	Var   string `json:"var"`
}

type directiveJSON struct {
	Do     Do         `json:"do"`
	Func   int        `json:"func"`
	Name   string     `json:"name"`
	Stage  int        `json:"stage"`
	Vars   []string   `json:"vars,omitempty"`
	N      int64      `json:"n,omitempty"`
	Offset int64      `json:"offset,omitempty"`
	Tail   Tail       `json:"tail,omitempty"`
	Memory Memory     `json:"memory,omitempty"`
	At     *levelJSON `json:"at,omitempty"`

	Multiples []int64 `json:"multiples,omitempty"`
	Special   bool    `json:"special,omitempty"`
}

// number is a float64 whose infinities JSON can hold, as strings: the cost of
// what cannot launch is infinite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	switch f := float64(n); {
	case math.IsNaN(f):
		return []byte(`"nan"`), nil
	case math.IsInf(f, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-inf"`), nil
	default:
		return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
	}
}

func (n *number) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"nan"`:
		*n = number(math.NaN())
	case `"inf"`:
		*n = number(math.Inf(1))
	case `"-inf"`:
		*n = number(math.Inf(-1))
	default:
		var f float64
		if err := json.Unmarshal(data, &f); err != nil {
			return err
		}
		*n = number(f)
	}
	return nil
}

// Digest tells schedules apart: a hash of the JSON form, without the parameters, which are others where one says what would be chosen anyway.
func (s *Schedule) Digest() string {
	plain := *s
	plain.Parameters = nil
	sum := sha256.Sum256(plain.JSON())
	return hex.EncodeToString(sum[:16])
}

// JSON is the schedule's JSON form, the same bytes for the same schedule: one
// line for each kernel and each directive, so that a change of schedule is a
// change of lines.
func (s *Schedule) JSON() []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	field := func(key string, v any) { fmt.Fprintf(&b, "  %q: %s,\n", key, compact(v)) }
	field("format", FormatName)
	field("version", Version)
	field("outputs", notNil(s.Outputs))
	field("target", s.Target)
	field("device", s.Device)
	parameters := s.Parameters
	if parameters == nil {
		parameters = map[string]string{}
	}
	field("parameters", parameters)

	if s.Funcs != nil {
		b.WriteString(`  "funcs": [`)
		for i, f := range s.Funcs {
			line(&b, i, shapeJSON{f.Name, notNil(f.Stages), f.WrittenOut, f.FusedInit, f.HeldReads, f.Local, f.Separated})
		}
		b.WriteString("\n  ],\n")
	}
	b.WriteString(`  "kernels": [`)
	for i := range s.Kernels {
		line(&b, i, kernelOut(&s.Kernels[i]))
	}
	b.WriteString("\n  ],\n" + `  "directives": [`)
	for i := range s.Directives {
		line(&b, i, directiveOut(&s.Directives[i]))
	}
	b.WriteString("\n  ]\n}\n")
	return b.Bytes()
}

func line(b *bytes.Buffer, i int, v any) {
	if i > 0 {
		b.WriteByte(',')
	}
	b.WriteString("\n    ")
	b.Write(compact(v))
}

func compact(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		// Strings, integers and number: none of them can fail.
		panic("schedule: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func kernelOut(k *Kernel) kernelJSON {
	api := "gpu"
	if k.Host {
		api = "host"
	}
	members := make([]memberJSON, len(k.Members))
	for i, m := range k.Members {
		m.Extents = notNil(m.Extents)
		members[i] = memberJSON(m)
	}
	return kernelJSON{
		Func: k.Func, Stage: k.Stage, Name: k.Name, Strategy: k.Strategy, API: api, Note: k.Note,
		Blocks: k.Blocks, Threads: k.Threads, SharedBytes: k.SharedBytes, Registers: k.Registers,
		Occupancy: number(k.Occupancy), Limiters: notNil(k.Limiters), Members: members,
		Inlined: notNil(k.Inlined), Cost: costJSON{k.Cost.Name, number(k.Cost.Value)},
	}
}

func directiveOut(d *Directive) directiveJSON {
	out := directiveJSON{
		Do: d.Do, Func: d.Func, Name: d.Name, Stage: d.Stage, Vars: d.Vars,
		N: d.N, Offset: d.Offset, Tail: d.Tail, Memory: d.Memory, Multiples: d.Multiples, Special: d.Special,
	}
	if d.At != nil {
		at := levelJSON(*d.At)
		out.At = &at
	}
	return out
}

// Decode reads a schedule from its JSON form. Unknown keys and words are
// errors: half a schedule is worse than none.
func Decode(data []byte) (*Schedule, error) {
	var head struct {
		Format  *string          `json:"format"`
		Version *json.RawMessage `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("schedule: the document is no JSON object: %w", inWords(err))
	}
	switch {
	case head.Format == nil:
		return nil, fmt.Errorf(`schedule: the document has no "format"; a schedule says "format": %q`, FormatName)
	case *head.Format != FormatName:
		return nil, fmt.Errorf("schedule: its format is %.40q, not that of a schedule (%s)", *head.Format, FormatName)
	case head.Version == nil:
		return nil, errors.New("schedule: the document has no version")
	case string(*head.Version) != fmt.Sprint(Version):
		return nil, fmt.Errorf("schedule: version: this gowarp reads version %d of the form, the document has %.40s", Version, *head.Version)
	}
	var doc struct {
		Format     string            `json:"format"`
		Version    int               `json:"version"`
		Outputs    []string          `json:"outputs"`
		Target     string            `json:"target"`
		Device     string            `json:"device"`
		Parameters map[string]string `json:"parameters"`
		Funcs      []shapeJSON       `json:"funcs"`
		Kernels    []kernelJSON      `json:"kernels"`
		Directives []directiveJSON   `json:"directives"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("schedule: %w", inWords(err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("schedule: more follows after the document")
	}
	s := &Schedule{Outputs: doc.Outputs, Target: doc.Target, Device: doc.Device, Parameters: doc.Parameters}
	for _, f := range doc.Funcs {
		s.Funcs = append(s.Funcs, Shape(f))
	}
	for i := range doc.Kernels {
		k, err := kernelIn(&doc.Kernels[i])
		if err != nil {
			return nil, fmt.Errorf("schedule: kernels[%d] (%s): %w", i, doc.Kernels[i].Name, err)
		}
		s.Kernels = append(s.Kernels, k)
	}
	for i := range doc.Directives {
		d, err := directiveIn(&doc.Directives[i])
		if err != nil {
			return nil, fmt.Errorf("schedule: directives[%d] (%s): %w", i, d.String(), err)
		}
		s.Directives = append(s.Directives, d)
	}
	return s, nil
}

func kernelIn(k *kernelJSON) (Kernel, error) {
	out := Kernel{
		Func: k.Func, Stage: k.Stage, Name: k.Name, Strategy: k.Strategy, Host: k.API == "host", Note: k.Note,
		Blocks: k.Blocks, Threads: k.Threads, SharedBytes: k.SharedBytes, Registers: k.Registers,
		Occupancy: float64(k.Occupancy), Limiters: k.Limiters, Inlined: k.Inlined,
		Cost: Cost{k.Cost.Name, float64(k.Cost.Value)},
	}
	if k.API != "gpu" && k.API != "host" {
		return out, fmt.Errorf("the api %q is not gpu or host", k.API)
	}
	if least := min(k.SharedBytes, int64(k.Registers), slices.Min(k.Blocks[:]), slices.Min(k.Threads[:])); least < 0 {
		return out, fmt.Errorf("a size of %d", least)
	}
	if k.Func < 0 || k.Stage < 0 {
		return out, fmt.Errorf("there is no Func %d with a stage %d", k.Func, k.Stage)
	}
	for _, m := range k.Members {
		if m.Level != "block" && m.Level != "thread" && m.Level != "warp" {
			return out, fmt.Errorf("member %s: the level %q is not block, warp or thread", m.Name, m.Level)
		}
		if m.Func < 0 || !m.Memory.known() {
			return out, fmt.Errorf("member %s: Func %d in memory %q", m.Name, m.Func, m.Memory)
		}
		out.Members = append(out.Members, Member(m))
	}
	return out, nil
}

func directiveIn(d *directiveJSON) (Directive, error) {
	out := Directive{
		Do: d.Do, Func: d.Func, Name: d.Name, Stage: d.Stage, Vars: d.Vars,
		N: d.N, Offset: d.Offset, Tail: d.Tail, Memory: d.Memory, Multiples: d.Multiples, Special: d.Special,
	}
	if d.At != nil {
		at := Level(*d.At)
		out.At = &at
	}
	return out, out.shape()
}
