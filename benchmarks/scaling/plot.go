package main

import (
	"image/color"
	"io"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The aims: ms and stages.
const (
	wantedMs     = 1000.0
	wantedStages = 1000.0
)

// plotRows draws processor time against the number of stages, both logarithmic, so that a
// cost that grows with the number of stages is a line of slope one.
func plotRows(w io.Writer, rows []row) error {
	p := plot.New()
	p.Title.Text = "Processor time of scheduling (sm_75)"
	p.X.Label.Text = "stages"
	p.Y.Label.Text = "ms"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = plot.ConstantTicks(ticks(10, 30, 100, 300, 1000, 3000))
	p.Y.Tick.Marker = plot.ConstantTicks(ticks(1, 3, 10, 30, 100, 300, 1000, 3000))
	p.Add(plotter.NewGrid())
	p.Legend.Top, p.Legend.Left = true, true
	colours := []color.Color{color.RGBA{0x1f, 0x77, 0xb4, 0xff}, color.RGBA{0xd6, 0x27, 0x28, 0xff}, color.RGBA{0x2c, 0xa0, 0x2c, 0xff}}
	most := wantedMs
	var names []string
	for _, r := range rows {
		if most = max(most, r.CPU); !slices.Contains(names, r.Shape) {
			names = append(names, r.Shape)
		}
	}
	for i, name := range names {
		var at plotter.XYs
		for _, r := range rows {
			if r.Shape == name {
				at = append(at, plotter.XY{X: float64(r.Stages), Y: r.CPU})
			}
		}
		line, points, err := plotter.NewLinePoints(at)
		if err != nil {
			return err
		}
		line.Color, points.Color = colours[i%len(colours)], colours[i%len(colours)]
		points.Shape = draw.CircleGlyph{}
		p.Add(line, points)
		p.Legend.Add(name, line, points)
	}
	aim, err := plotter.NewScatter(plotter.XYs{{X: wantedStages, Y: wantedMs}})
	if err != nil {
		return err
	}
	aim.Shape, aim.Radius = draw.CrossGlyph{}, vg.Points(5)
	p.Add(aim)
	p.Legend.Add("aim: 1 s for 1,000", aim)
	p.Y.Min, p.Y.Max = 1, most*1.5
	c := vgsvg.New(14*vg.Centimeter, 10*vg.Centimeter)
	p.Draw(draw.New(c))
	_, err = c.WriteTo(w)
	return err
}

func ticks(values ...float64) []plot.Tick {
	out := make([]plot.Tick, len(values))
	for i, v := range values {
		out[i] = plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)}
	}
	return out
}
