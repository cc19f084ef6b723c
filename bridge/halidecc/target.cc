//go:build halide

// What the pipeline is compiled for, and Halide's enumerations as words.

#include "export.h"
#include "json.h"

using namespace Halide;

namespace gowarp {

const char *memory_word(MemoryType m) {
    switch (m) {
    case MemoryType::Auto: return "auto";
    case MemoryType::Heap: return "heap";
    case MemoryType::Stack: return "stack";
    case MemoryType::Register: return "register";
    case MemoryType::GPUShared: return "gpu_shared";
    case MemoryType::GPUTexture: return "gpu_texture";
    case MemoryType::LockedCache: return "locked_cache";
    case MemoryType::VTCM: return "vtcm";
    case MemoryType::AMXTile: return "amx_tile";
    }
    return "unknown";
}

const char *device_api_word(DeviceAPI api) {
    switch (api) {
    case DeviceAPI::None: return "none";
    case DeviceAPI::Host: return "host";
    case DeviceAPI::Default_GPU: return "default_gpu";
    case DeviceAPI::CUDA: return "cuda";
    case DeviceAPI::OpenCL: return "opencl";
    case DeviceAPI::Metal: return "metal";
    case DeviceAPI::Hexagon: return "hexagon";
    case DeviceAPI::HexagonDma: return "hexagon_dma";
    case DeviceAPI::D3D12Compute: return "d3d12";
    case DeviceAPI::Vulkan: return "vulkan";
    case DeviceAPI::WebGPU: return "webgpu";
    }
    return "unknown";
}

namespace {

std::string arch_word(Target::Arch a) {
    switch (a) {
    case Target::X86: return "x86";
    case Target::ARM: return "arm";
    case Target::POWERPC: return "powerpc";
    case Target::Hexagon: return "hexagon";
    case Target::WebAssembly: return "wasm";
    case Target::RISCV: return "riscv";
    default: return "unknown";
    }
}

std::string os_word(Target::OS os) {
    switch (os) {
    case Target::Linux: return "linux";
    case Target::Windows: return "windows";
    case Target::OSX: return "osx";
    case Target::Android: return "android";
    case Target::IOS: return "ios";
    case Target::QuRT: return "qurt";
    case Target::NoOS: return "noos";
    case Target::Fuchsia: return "fuchsia";
    case Target::WebAssemblyRuntime: return "wasmrt";
    default: return "unknown";
    }
}

// The newest CUDA capability that the target names, 86 for 8.6; 0 without one.
int cuda_capability(const Target &t) {
    const std::pair<Target::Feature, int> known[] = {
        {Target::CUDACapability86, 86}, {Target::CUDACapability80, 80}, {Target::CUDACapability75, 75},
        {Target::CUDACapability70, 70}, {Target::CUDACapability61, 61}, {Target::CUDACapability50, 50},
        {Target::CUDACapability35, 35}, {Target::CUDACapability32, 32}, {Target::CUDACapability30, 30}};
    for (const auto &k : known) {
        if (t.has_feature(k.first)) {
            return k.second;
        }
    }
    return 0;
}

}  // namespace

std::string target_json(const Target &t) {
    std::string out;
    Json j(out);
    j.open('{');
    j.field("string", t.to_string());
    j.field("arch", arch_word(t.arch));
    j.field("os", os_word(t.os));
    j.field("bits", t.bits);
    j.field("api", t.has_gpu_feature() ? device_api_word(get_default_device_api_for_target(t)) : "none");
    j.field("cuda_capability", cuda_capability(t));
    j.key("features");
    j.open('[');
    for (int i = 0; i < (int)Target::FeatureEnd; i++) {
        if (t.has_feature((Target::Feature)i)) {
            j.string(Target::feature_to_name((Target::Feature)i));
        }
    }
    j.close(']');
    j.close('}');
    return out;
}

}  // namespace gowarp
