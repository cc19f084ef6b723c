package occupancy

import (
	"errors"
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	for name, want := range map[string]string{
		"h200": "h200", "H200": "h200", " h200 ": "h200", "NVIDIA H200": "", "NVIDIA H200 SXM": "h200",
		"gtx1080ti": "gtx1080ti", "gtx-1080-ti": "gtx1080ti", "GTX 1080 Ti": "gtx1080ti", "1080ti": "gtx1080ti",
		"NVIDIA GeForce RTX 4090": "rtx4090", "geforce_rtx_3090": "rtx3090", "3090": "rtx3090",
		"Tesla V100": "v100", "tesla-t4": "t4", "GTX TITAN": "gtxtitan", "Tegra K1": "tegra-k1", "tk1": "tegra-k1",
		"Jetson AGX Xavier": "xavier", "orin": "jetson-orin", "a100-40gb": "a100", "A100 80GB": "a100-80gb",
		"sm_86": "rtx3090", "SM86": "rtx3090", "86": "rtx3090", "8.6": "rtx3090", "cc8.6": "rtx3090", "compute_86": "rtx3090",
		"sm_90a": "h100", "sm_100f": "b200", "sm_120": "rtx5090", "12.0": "rtx5090", "sm_32": "tegra-k1",
		"sm_110": "jetson-thor", "sm_101": "jetson-thor",
		"generic": "generic", "OpenCL": "generic", "metal": "generic", "vulkan": "generic", "Intel Iris Xe": "iris-xe",
	} {
		if want == "" {
			want = "h200"
		}
		if d, err := Lookup(name); err != nil || d.Name != want {
			t.Errorf("Lookup(%q) is %s, %v; want %s", name, d.Name, err, want)
		}
	}
	for _, d := range Devices() {
		for _, name := range []string{d.Name, d.Title} {
			if got, err := Lookup(name); err != nil || got != d {
				t.Errorf("Lookup(%q) is %s, %v; want %s", name, got.Name, err, d.Name)
			}
		}
	}
}

func TestLookupErrors(t *testing.T) {
	for name, want := range map[string]string{
		"":          `unknown device: the name is empty; use one such as "h200" or "sm_86"`,
		"--":        `unknown device: the name is empty; use one such as "h200" or "sm_86"`,
		"h20":       `unknown device "h20": did you mean h200?`,
		"h2000":     `unknown device "h2000": did you mean h200?`,
		"rtx2080":   `unknown device "rtx2080": did you mean rtx2080ti, rtx2060, rtx2070?`,
		"gtx1080it": `unknown device "gtx1080it": did you mean gtx1080ti?`,
		"rtx4900":   `unknown device "rtx4900": did you mean rtx4090, rtx3090, rtx4060?`,
		"genric":    `unknown device "genric": did you mean generic?`,
		"sm86x":     `unknown device "sm86x": did you mean sm_86?`,
		"sm_85":     `unknown device "sm_85": the table has no GPU of compute capability 8.5; the nearest are sm_80 (a100) and sm_86 (rtx3090)`,
		"8.5":       `unknown device "8.5": the table has no GPU of compute capability 8.5; the nearest are sm_80 (a100) and sm_86 (rtx3090)`,
		"sm_20":     `unknown device "sm_20": the table has no GPU of compute capability 2.0; the nearest is sm_30 (gtx680)`,
		"sm_130":    `unknown device "sm_130": the table has no GPU of compute capability 13.0; the nearest is sm_121 (gb10)`,
	} {
		d, err := Lookup(name)
		if !errors.Is(err, ErrUnknownDevice) || err.Error() != want {
			t.Errorf("Lookup(%q): error %v\nwant %s", name, err, want)
		}
		if d != (Device{}) {
			t.Errorf("Lookup(%q) gives %s beside the error", name, d.Name)
		}
	}
	// Nothing near: every name is offered.
	_, err := Lookup("toaster oven")
	if err == nil {
		t.Fatal("a toaster is a GPU")
	}
	for _, d := range Devices() {
		if !strings.Contains(err.Error(), d.Name) {
			t.Errorf("the error does not offer %s: %v", d.Name, err)
		}
	}
}

func TestForCapability(t *testing.T) {
	for _, test := range []struct {
		cc    int
		name  string
		exact bool
	}{
		{75, "rtx2080ti", true}, {86, "rtx3090", true}, {90, "h100", true}, {30, "gtx680", true},
		{88, "rtx3090", true}, {85, "a100", false}, {99, "h100", false}, {200, "gb10", false},
		{101, "jetson-thor", true}, {102, "b200", false},
		{20, "gtx680", false}, {0, "gtx680", false}, {-3, "gtx680", false},
	} {
		if d, exact := ForCapability(test.cc); d.Name != test.name || exact != test.exact {
			t.Errorf("ForCapability(%d) is %s, %v; want %s, %v", test.cc, d.Name, exact, test.name, test.exact)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"h200", "h200", 0}, {"h200", "h20", 1}, {"h200", "h100", 1},
		{"1080it", "1080ti", 1}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3},
	} {
		if got := editDistance(test.a, test.b); got != test.want {
			t.Errorf("editDistance(%q, %q) is %d, want %d", test.a, test.b, got, test.want)
		}
		if got := editDistance(test.b, test.a); got != test.want {
			t.Errorf("editDistance(%q, %q) is %d, want %d", test.b, test.a, got, test.want)
		}
	}
}
