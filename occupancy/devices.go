package occupancy

import "sort"

// A product is what tells one GPU from another of its architecture.
type product struct {
	name, title string
	capability  int
	sms         int
	l2KiB       int
	dram        float64 // GB/s, 1e9 bytes
	boost       float64 // MHz
	source      string
	aliases     []string // besides the name and the title, which Lookup knows anyway
}

// A GPU sold in several forms is here in the form of the data sheet named in
// its source. Bandwidths are peaks at stock clocks, clocks the reference
// board's boost; a running GPU reaches about 0.9 of the one and anything of
// the other.
//
// The source names where a figure is published. Seen in a device query or
// quotation while the table was made: T4, AGX Orin, RTX 5090, B200, the H200's
// bandwidth and clock, Thor's SMs, L2 and bandwidth, GB10's bandwidth. The others were
// written down from knowledge of the documents and not read again.
var products = []product{
	{"gtx680", "NVIDIA GeForce GTX 680", 30, 8, 512, 192.3, 1058,
		"NVIDIA GeForce GTX 680 whitepaper", []string{"680"}},
	{"tegra-k1", "NVIDIA Tegra K1 (Jetson TK1)", 32, 1, 128, 14.9, 852,
		"NVIDIA Tegra K1 whitepaper; uncertain: registers per SM and per block, L2, clock (boards differ)",
		[]string{"k1", "tk1", "jetson-tk1"}},
	{"gtxtitan", "NVIDIA GeForce GTX TITAN", 35, 14, 1536, 288.4, 876,
		"NVIDIA GTX TITAN product page; GK110 whitepaper", []string{"titan"}},
	{"k80", "NVIDIA Tesla K80 (one of its two GPUs)", 37, 13, 1536, 240, 875,
		"NVIDIA Tesla K80 board specification BD-07317", []string{"tesla-k80"}},
	{"gtx750ti", "NVIDIA GeForce GTX 750 Ti", 50, 5, 2048, 86.4, 1085,
		"NVIDIA GeForce GTX 750 Ti whitepaper", []string{"750ti"}},
	{"gtx980", "NVIDIA GeForce GTX 980", 52, 16, 2048, 224, 1216,
		"NVIDIA GeForce GTX 980 whitepaper", []string{"980"}},
	{"jetson-tx1", "NVIDIA Jetson TX1", 53, 2, 256, 25.6, 998,
		"NVIDIA Tegra X1 whitepaper, Jetson TX1 data sheet", []string{"tx1", "tegra-x1"}},
	{"p100", "NVIDIA Tesla P100 SXM2", 60, 56, 4096, 732, 1480,
		"NVIDIA Tesla P100 whitepaper, table 1", []string{"tesla-p100"}},
	{"gtx1080ti", "NVIDIA GeForce GTX 1080 Ti", 61, 28, 2816, 484.4, 1582,
		"NVIDIA GTX 1080 Ti product page; 28 SMs and 484 GB/s also Jangda and Guha 2020, table 1", []string{"1080ti"}},
	{"jetson-tx2", "NVIDIA Jetson TX2", 62, 2, 512, 59.7, 1300,
		"NVIDIA Jetson TX2 data sheet; uncertain: L2", []string{"tx2", "tegra-x2"}},
	{"v100", "NVIDIA Tesla V100 SXM2", 70, 80, 6144, 900, 1530,
		"NVIDIA Tesla V100 whitepaper, table 1", []string{"tesla-v100"}},
	{"xavier", "NVIDIA Jetson AGX Xavier", 72, 8, 512, 136.5, 1377,
		"NVIDIA Jetson AGX Xavier data sheet", []string{"agx-xavier", "jetson-xavier"}},
	{"rtx2080ti", "NVIDIA GeForce RTX 2080 Ti", 75, 68, 5632, 616, 1545,
		"NVIDIA Turing whitepaper, table 1 (reference board; Founders Edition boosts to 1635 MHz)", []string{"2080ti"}},
	{"rtx2070", "NVIDIA GeForce RTX 2070", 75, 36, 4096, 448, 1620,
		"NVIDIA Turing whitepaper, appendix (reference board)", []string{"2070"}},
	{"rtx2060", "NVIDIA GeForce RTX 2060", 75, 30, 3072, 336, 1680,
		"NVIDIA RTX 2060 product page", []string{"2060"}},
	{"t4", "NVIDIA Tesla T4", 75, 40, 4096, 320, 1590,
		"NVIDIA T4 data sheet; deviceQuery (40 SMs, 1590 MHz, 5001 MHz x 256 bit, 4 MiB L2)", []string{"tesla-t4"}},
	{"a100", "NVIDIA A100 SXM4 40 GB", 80, 108, 40960, 1555, 1410,
		"NVIDIA A100 whitepaper, table 4", []string{"a100-40gb"}},
	{"a100-80gb", "NVIDIA A100 SXM4 80 GB", 80, 108, 40960, 2039, 1410,
		"NVIDIA A100 80 GB data sheet", nil},
	{"a10", "NVIDIA A10", 86, 72, 6144, 600, 1695,
		"NVIDIA A10 data sheet; GA102 whitepaper", nil},
	{"rtx3060", "NVIDIA GeForce RTX 3060", 86, 28, 3 * 1024, 360, 1777,
		"NVIDIA GeForce RTX 3060 product page; GA106: L2", []string{"3060"}},
	{"rtx3070", "NVIDIA GeForce RTX 3070", 86, 46, 4 * 1024, 448, 1725,
		"NVIDIA Ampere GA102 whitepaper, appendix on the RTX 3070", []string{"3070"}},
	{"rtx3080", "NVIDIA GeForce RTX 3080 10 GB", 86, 68, 5 * 1024, 760.3, 1710,
		"NVIDIA Ampere GA102 whitepaper, table 2", []string{"3080"}},
	{"rtx3090", "NVIDIA GeForce RTX 3090", 86, 82, 6144, 936.2, 1695,
		"NVIDIA GA102 whitepaper, table 2", []string{"3090"}},
	{"jetson-orin", "NVIDIA Jetson AGX Orin 64 GB", 87, 16, 4096, 204.8, 1300,
		"NVIDIA Jetson AGX Orin data sheet; deviceQuery (16 SMs, 1.3 GHz, 4 MiB L2)", []string{"orin", "agx-orin"}},
	{"rtx4060", "NVIDIA GeForce RTX 4060", 89, 24, 24 * 1024, 272, 2460,
		"NVIDIA GeForce RTX 4060 product page", []string{"4060"}},
	{"rtx4070", "NVIDIA GeForce RTX 4070", 89, 46, 36 * 1024, 504.2, 2475,
		"NVIDIA GeForce RTX 4070 product page", []string{"4070"}},
	{"rtx4080", "NVIDIA GeForce RTX 4080", 89, 76, 64 * 1024, 716.8, 2505,
		"NVIDIA Ada GPU architecture whitepaper, appendix on the RTX 4080", []string{"4080"}},
	{"rtx4090", "NVIDIA GeForce RTX 4090", 89, 128, 72 * 1024, 1008, 2520,
		"NVIDIA Ada whitepaper, table 2", []string{"4090"}},
	{"l4", "NVIDIA L4", 89, 58, 48 * 1024, 300, 2040,
		"NVIDIA L4 data sheet, Ada whitepaper; uncertain: L2", nil},
	{"l40s", "NVIDIA L40S", 89, 142, 96 * 1024, 864, 2520,
		"NVIDIA L40S data sheet, Ada whitepaper (L40)", nil},
	{"h100", "NVIDIA H100 SXM5", 90, 132, 50 * 1024, 3350, 1980,
		"NVIDIA H100 data sheet and whitepaper; clock is nvidia-smi's maximum", []string{"h100-sxm"}},
	{"h100-pcie", "NVIDIA H100 PCIe", 90, 114, 50 * 1024, 2039, 1755,
		"NVIDIA H100 PCIe product brief", nil},
	{"h200", "NVIDIA H200 SXM", 90, 132, 60 * 1024, 4800, 1980,
		"NVIDIA H200 data sheet; clock is nvidia-smi's maximum; uncertain: L2, " +
			"no data sheet has it, taken as 96 slices (accel-sim issue 534) of the H100's 50 MiB / 80", []string{"h200-sxm"}},
	{"b200", "NVIDIA B200", 100, 148, 126*1024 + 512, 7672, 1965,
		"device query quoted in pytorch/ao pull request 4002 (148 SMs, 126.5 MiB L2, 7680 bit x 3996 MHz); data sheet: 8 TB/s; uncertain: clock", nil},
	{"b300", "NVIDIA B300", 103, 148, 126*1024 + 512, 8000, 1965,
		"NVIDIA B300 data sheet for bandwidth; uncertain: SMs, L2 and clock are the B200's", nil},
	{"jetson-thor", "NVIDIA Jetson AGX Thor", 110, 20, 32 * 1024, 273, 1575,
		"NVIDIA Jetson Thor data sheet; L2: TVM's target tag, apache/tvm pull request 20259; uncertain: clock", []string{"thor", "agx-thor"}},
	{"rtx5070", "NVIDIA GeForce RTX 5070", 120, 48, 48 * 1024, 672, 2512,
		"NVIDIA Blackwell RTX whitepaper, appendix on the RTX 5070", []string{"5070"}},
	{"rtx5080", "NVIDIA GeForce RTX 5080", 120, 84, 64 * 1024, 960, 2617,
		"NVIDIA Blackwell RTX whitepaper, appendix on the RTX 5080", []string{"5080"}},
	{"rtx5090", "NVIDIA GeForce RTX 5090", 120, 170, 96 * 1024, 1792, 2407,
		"NVIDIA Blackwell RTX whitepaper; deviceQuery (170 SMs, 96 MiB L2)", []string{"5090"}},
	{"gb10", "NVIDIA GB10 (DGX Spark)", 121, 48, 24 * 1024, 273, 2418,
		"NVIDIA DGX Spark data sheet; uncertain: L2, clock", []string{"dgx-spark", "spark"}},
}

// table is every device, in the order of their names.
var table = buildTable()

func buildTable() []Device {
	var t []Device
	for _, p := range products {
		a, _ := architectureOf(p.capability)
		d := a.device()
		d.Name, d.Title, d.SMs, d.Source = p.name, p.title, p.sms, p.source
		d.L2Bytes = p.l2KiB * kib
		d.DRAMBandwidth = p.dram * 1e9
		d.ClockHz = p.boost * 1e6
		t = append(t, d)
	}
	t = append(t, irisXe, arcA770, generic)
	sort.Slice(t, func(i, j int) bool { return t[i].Name < t[j].Name })
	return t
}

// Devices returns every device, in the order of their names. The slice is the
// caller's.
func Devices() []Device {
	return append([]Device(nil), table...)
}

// deviceNamed returns the device of exactly that name; it must exist.
func deviceNamed(name string) Device {
	i := sort.Search(len(table), func(i int) bool { return table[i].Name >= name })
	if i == len(table) || table[i].Name != name {
		panic("occupancy: the table has no device named " + name)
	}
	return table[i]
}
