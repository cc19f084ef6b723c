// Where registers of a warp's lanes have their places in the warp's scratch in shared memory.
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
