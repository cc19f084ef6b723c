package occupancy

import "strings"

// API is the programming interface through which a device is driven.
type API string

// Metal and Vulkan devices are described as OpenCL ones: what matters here is
// that lanes of a warp cannot be addressed and that no calculator is published.
const (
	CUDA   API = "cuda"
	OpenCL API = "opencl"
)

// A Device is what a scheduler may know of a GPU. Counts are plain numbers,
// sizes are bytes, registers are 32 bits wide. "SM" is NVIDIA's streaming
// multiprocessor; for OpenCL read compute unit.
type Device struct {
	Name       string `json:"name"`  // lower case, the name a user types: "h200"
	Title      string `json:"title"` // the maker's: "NVIDIA H200 SXM"
	API        API    `json:"api"`
	Capability int    `json:"capability"` // CUDA compute capability times ten, 90 for 9.0; 0 when not CUDA
	SMs        int    `json:"sms"`

	WarpSize           int `json:"warp_size"` // lanes that issue together; a sub-group in OpenCL
	MaxThreadsPerBlock int `json:"max_threads_per_block"`
	MaxThreadsPerSM    int `json:"max_threads_per_sm"`
	MaxBlocksPerSM     int `json:"max_blocks_per_sm"`

	RegistersPerSM    int `json:"registers_per_sm"`
	RegistersPerBlock int `json:"registers_per_block"`
	// MaxRegistersPerThread is what a launch may ask for. It is one more than
	// the 255 a thread can address from capability 7.0 on, because that is
	// what the launch check accepts there; ptxas never emits more than 255.
	MaxRegistersPerThread int `json:"max_registers_per_thread"`
	RegisterAllocUnit     int `json:"register_alloc_unit"` // registers, per warp
	// WarpAllocGranularity is the number of partitions of the register file:
	// a warp's registers all come from one of them.
	WarpAllocGranularity int `json:"warp_alloc_granularity"`

	SharedPerSM int `json:"shared_per_sm"` // with the L1 carve-out set for the most shared memory
	// SharedPerBlock is what a block gets without asking: 48 KiB on CUDA.
	// Halide 21's runtime never asks for more.
	SharedPerBlock      int `json:"shared_per_block"`
	SharedPerBlockOptin int `json:"shared_per_block_optin"` // after cuFuncSetAttribute
	SharedAllocUnit     int `json:"shared_alloc_unit"`
	// SharedAllocPow2 says that a block's shared memory is rounded up to a
	// power of two (Intel), after SharedAllocUnit.
	SharedAllocPow2        bool `json:"shared_alloc_pow2,omitempty"`
	ReservedSharedPerBlock int  `json:"reserved_shared_per_block"` // the driver's own, taken from SharedPerSM

	MaxGrid  [3]int `json:"max_grid"`  // blocks in x, y, z
	MaxBlock [3]int `json:"max_block"` // threads in x, y, z

	L2Bytes       int     `json:"l2_bytes"`
	DRAMBandwidth float64 `json:"dram_bandwidth"` // bytes/s, the data sheet's peak
	ClockHz       float64 `json:"clock_hz"`       // boost clock of the SMs
	LanesPerSM    int     `json:"lanes_per_sm"`   // fp32 results a cycle

	Source string `json:"source"` // where the figures are from, and which are uncertain
}

// Maker is who makes the device, the first word of its title: NVIDIA, Intel, or Generic.
func (d *Device) Maker() string {
	maker, _, _ := strings.Cut(d.Title, " ")
	return maker
}

// MaxWarpsPerSM is the number of warps that can be resident on one SM: what
// an occupancy of 1 means.
func (d *Device) MaxWarpsPerSM() int { return d.MaxThreadsPerSM / d.WarpSize }

// WithSharedOptin returns the device as a kernel sees it that has raised its
// shared-memory limit with cuFuncSetAttribute. Halide 21 kernels never do.
func (d *Device) WithSharedOptin() Device {
	o := *d
	o.SharedPerBlock = d.SharedPerBlockOptin
	return o
}
