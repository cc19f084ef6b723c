// Where registers of a warp's lanes have their places in the warp's scratch in shared memory, and what threads do to exchange by that.
#ifndef GOWARP_PLACE_H
#define GOWARP_PLACE_H

#include <Halide.h>

#include <map>
#include <string>

namespace gowarp {

constexpr int warp_lanes = 32;
constexpr char scratch_name[] = "gowarp.scratch";

// Why a kernel stays as it is.
struct Unsuitable {
    std::string why;
};

// What all threads of a block wait at for each other's stores to shared memory.
inline Halide::Internal::Stmt shared_barrier() {
    using namespace Halide::Internal;
    constexpr int shared = 2;  // of the kinds of memory that Halide numbers
    return Evaluate::make(Call::make(Halide::Int(32), Call::gpu_thread_barrier, {IntImm::make(Halide::Int(32), shared)}, Call::Intrinsic));
}

// The registers of one Func's component that go to the scratch.
struct Place {
    int slots = 0, offset = 0;
    Halide::Type type;
    int begin(int slot) const { return offset + slot * warp_lanes * type.bytes(); }
    int end(int slot) const { return begin(slot) + warp_lanes * type.bytes(); }
};

using Places = std::map<std::string, Place>;  // by the name of the allocation

}  // namespace gowarp

#endif
