package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"gowarp/benchmarks/bundle"
)

// Figure is a line of what is measured of a device itself.
type Figure struct {
	Schema    int        `json:"schema"`
	Device    Device     `json:"device"`
	Bundle    string     `json:"bundle"`
	Time      string     `json:"time"`
	Micro     string     `json:"micro"`
	Value     float64    `json:"value,omitempty"`
	Unit      string     `json:"unit,omitempty"`
	LeastMost [2]float64 `json:"least_most"`
	About     string     `json:"about,omitempty"`
	Error     string     `json:"error,omitempty"`
}

// micro measures the device's constants, if that is wanted. What was said until a limit is
// kept.
func (r *runner) micro(ctx context.Context) error {
	if r.Micro == "" {
		return nil
	}
	out, err := os.OpenFile(r.Micro, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	defer out.Close()
	w, err := start(ctx, r.Dir, bundle.MicroFile, r.Env, fmt.Sprint(r.MicroBytes), fmt.Sprint(r.MicroScale))
	if err != nil {
		return err
	}
	defer w.kill()
	silence := time.NewTimer(r.left(r.Limit))
	defer silence.Stop()
	encoder := json.NewEncoder(out)
	n := 0
	for {
		select {
		case line, more := <-w.replies:
			if !more {
				fmt.Fprintf(r.Log, "%d figures of the device in %s\n", n, r.Micro)
				return nil
			}
			silence.Reset(r.left(r.Limit))
			f := Figure{Schema: bundle.Schema, Device: r.device, Bundle: r.manifest.ID, Time: time.Now().UTC().Format(time.RFC3339)}
			if err := json.Unmarshal(line, &f); err != nil {
				return fmt.Errorf("run: %s says %q: %w", bundle.MicroFile, line, err)
			}
			if f.Error != "" {
				fmt.Fprintf(r.Log, "%s: %s\n", f.Micro, f.Error)
			}
			if err := encoder.Encode(&f); err != nil {
				return fmt.Errorf("run: %w", err)
			}
			n++
		case <-silence.C:
			if r.over(ctx) {
				return ErrUnfinished
			}
			fmt.Fprintf(r.Log, "the device's figures: none in %s; %d are in %s\n", r.Limit, n, r.Micro)
			return nil
		case <-ctx.Done():
			return errors.Join(ErrUnfinished, ctx.Err())
		}
	}
}
