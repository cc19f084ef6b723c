package report

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/textfile"
	"gowarp/occupancy"
)

// Plots writes the plots of records into a directory, each as SVG and PNG, and returns their
// names without an ending.
func Plots(dir string, records []bench.Record) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var files []string
	for _, p := range pages(records) {
		d, err := occupancy.Lookup(p.gpu)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		for _, m := range models {
			tiles := p.rooflines(m, d)
			if len(tiles) == 0 {
				continue
			}
			file := m.file + "-" + p.gpu
			if err := save(filepath.Join(dir, file), tiles, 3); err != nil {
				return nil, err
			}
			files = append(files, file)
		}
	}
	stages, err := stagesPlot(records)
	if err != nil {
		return nil, err
	}
	if stages != nil {
		if err := save(filepath.Join(dir, "stages"), []*plot.Plot{stages}, 1); err != nil {
			return nil, err
		}
		files = append(files, "stages")
	}
	return files, nil
}

// Okabe and Ito's colours, which colour-blind people can tell apart.
var colours = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255}, {150, 150, 150, 255},
}

var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}

func style(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: colours[i%len(colours)], Radius: vg.Points(2.6), Shape: shapes[i%len(shapes)]}
}

func small(p *plot.Plot) {
	p.Title.TextStyle.Font.Size = font.Points(10)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size = font.Points(8)
		a.Tick.Label.Font.Size = font.Points(7)
	}
	p.Legend.TextStyle.Font.Size = font.Points(6)
	p.Legend.ThumbnailWidth, p.Legend.Padding = vg.Points(10), vg.Points(1)
	p.BackgroundColor = color.White
}

func logarithmic(p *plot.Plot) {
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
}

// rooflines are the plots of the programs, one each, with gowarp's mode of the fewest warp
// instructions and every other scheduler.
func (p *page) rooflines(m model, d occupancy.Device) []*plot.Plot {
	roof := roofOf(d)
	type series struct {
		name   string
		points []point
	}
	var tiles []*plot.Plot
	for _, name := range p.programs {
		var all []series
		if r, _ := p.best(name, "warp_instructions"); r != nil {
			all = append(all, series{r.Scheduler, m.points(r, roof)})
		}
		for _, s := range p.schedulers {
			if r := p.at[[2]string{name, s}]; !isOwn(s) && r != nil && r.Outcome == bench.OK {
				all = append(all, series{s, m.points(r, roof)})
			}
		}
		lo, hi, low := math.Inf(1), math.Inf(-1), math.Inf(1)
		for _, s := range all {
			for _, pt := range s.points {
				lo, hi, low = min(lo, pt.intensity), max(hi, pt.intensity), min(low, pt.performance)
			}
		}
		if math.IsInf(lo, 1) {
			continue // a program on integers, or none was counted
		}
		pl := plot.New()
		small(pl)
		logarithmic(pl)
		pl.Title.Text, pl.X.Label.Text, pl.Y.Label.Text = name, m.x, m.y
		const giga = 1e9
		ridge := m.flat(roof) / roof.dram
		lo, hi = min(lo, ridge)/2, max(hi, ridge)*2
		line, err := plotter.NewLine(plotter.XYs{{X: lo, Y: lo * roof.dram / giga}, {X: ridge, Y: m.flat(roof) / giga}, {X: hi, Y: m.flat(roof) / giga}})
		if err != nil {
			continue // three finite points
		}
		line.Width = vg.Points(1)
		pl.Add(line)
		pl.X.Min, pl.X.Max = lo, hi
		pl.Y.Min, pl.Y.Max = min(low/giga, lo*roof.dram/giga)/2, 2*m.flat(roof)/giga
		pl.Legend.Top, pl.Legend.Left = false, false
		for _, s := range all {
			if len(s.points) == 0 {
				continue
			}
			var xys plotter.XYs
			for _, pt := range s.points {
				xys = append(xys, plotter.XY{X: pt.intensity, Y: pt.performance / giga})
			}
			dots, err := plotter.NewScatter(xys)
			if err != nil {
				continue // all are finite
			}
			dots.GlyphStyle = style(p.colour(s.name))
			pl.Add(dots)
			pl.Legend.Add(fmt.Sprintf("%s (%d)", s.name, len(s.points)), dots)
		}
		tiles = append(tiles, pl)
	}
	return tiles
}

// colour is a scheduler's in every plot: all modes of gowarp have one.
func (p *page) colour(scheduler string) int {
	if isOwn(scheduler) {
		return 0
	}
	return 1 + slices.Index(filter(p.schedulers, func(s string) bool { return !isOwn(s) }), scheduler)
}

// stagesPlot is the time to schedule against the number of Funcs, of the chains that were
// scheduled for it, and what of it gowarp says is its own; nil where there are none.
func stagesPlot(records []bench.Record) (*plot.Plot, error) {
	all := map[string]plotter.XYs{}
	var names []string
	for _, r := range bench.Latest(records) {
		if r.UpTo != bench.UpToSchedule || r.Outcome != bench.OK || r.Funcs == 0 || r.ScheduleCPUSeconds <= 0 {
			continue
		}
		add := func(name string, seconds float64) {
			all[name] = append(all[name], plotter.XY{X: float64(r.Funcs), Y: seconds})
		}
		if !slices.Contains(names, r.Scheduler) {
			names = append(names, r.Scheduler)
		}
		add(r.Scheduler, r.ScheduleCPUSeconds)
		if own := pluginSeconds(&r); own > 0 {
			add(r.Scheduler+inPlugin, own)
		}
	}
	pl := plot.New()
	small(pl)
	logarithmic(pl)
	pl.Title.Text = "Processor time of a generator that schedules, against the number of Funcs"
	pl.X.Label.Text, pl.Y.Label.Text = "Funcs", "seconds"
	pl.Legend.Top, pl.Legend.Left = true, true
	pl.Legend.TextStyle.Font.Size = font.Points(8)
	drawn := 0
	for _, n := range inTableOrder(names) {
		for _, name := range []string{n, n + inPlugin} {
			xys := all[name]
			if len(xys) < 2 {
				continue
			}
			slices.SortFunc(xys, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
			line, dots, err := plotter.NewLinePoints(xys)
			if err != nil {
				return nil, fmt.Errorf("report: %w", err)
			}
			line.Color, dots.GlyphStyle = colours[drawn%len(colours)], style(drawn)
			if name != n {
				line.Dashes = plotutil.Dashes(1)
			}
			pl.Add(line, dots)
			pl.Legend.Add(name, line, dots)
			drawn++
		}
	}
	if drawn == 0 {
		return nil, nil
	}
	return pl, nil
}

// inPlugin marks the part of the time that the plugin says is its own.
const inPlugin = ", in the plugin"

// save draws plots side by side, in so many columns, as SVG and PNG.
func save(path string, plots []*plot.Plot, columns int) error {
	columns = min(columns, len(plots))
	rows := (len(plots) + columns - 1) / columns
	grid := make([][]*plot.Plot, rows)
	for i := range rows * columns {
		var p *plot.Plot
		if i < len(plots) {
			p = plots[i]
		}
		grid[i/columns] = append(grid[i/columns], p)
	}
	width, height := vg.Length(columns)*4*vg.Inch, vg.Length(rows)*3.2*vg.Inch
	if len(plots) == 1 {
		width, height = 7*vg.Inch, 5*vg.Inch
	}
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Points(6), PadY: vg.Points(6), PadTop: vg.Points(4), PadBottom: vg.Points(4), PadLeft: vg.Points(4), PadRight: vg.Points(8)}
	for ending, canvas := range map[string]vg.CanvasWriterTo{
		".svg": vgsvg.New(width, height),
		".png": vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(110))},
	} {
		at := plot.Align(grid, tiles, draw.New(canvas))
		for r := range grid {
			for c, p := range grid[r] {
				if p != nil {
					p.Draw(at[r][c])
				}
			}
		}
		var picture bytes.Buffer
		if _, err := canvas.WriteTo(&picture); err != nil {
			return fmt.Errorf("report: %s: %w", path+ending, err)
		}
		if err := textfile.Replace(path+ending, picture.Bytes()); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// Page is the whole report: the tables, and the plots that were written beside it.
func Page(records []bench.Record, plots []string) (string, error) {
	var b strings.Builder
	b.WriteString("# What the benchmark recorded\n\nMade by `gowarp bench report` from the lines in this folder; [../README.md](../README.md) explains every column and every scheduler's settings.\n\n")
	if err := Markdown(&b, records); err != nil {
		return "", err
	}
	if len(plots) > 0 {
		b.WriteString("## Plots\n\nPerformance in rooflines is a bound from counts and the device's data sheet, not a measurement; a point is a kernel.\n\n")
	}
	for _, p := range plots {
		fmt.Fprintf(&b, "![%s](plots/%s.svg)\n\n", p, p)
	}
	return b.String(), nil
}
