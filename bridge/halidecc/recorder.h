// A CUDA driver that runs nothing and writes down what it is asked for.
#ifndef GOWARP_RECORDER_H
#define GOWARP_RECORDER_H

#include <cstddef>
#include <string>
#include <vector>

namespace gowarp {

// A host buffer whose contents are made up: of an input that has none before the pipeline runs.
struct MadeUp {
    const char *begin;
    size_t bytes;
    std::string type;  // of its elements, as "float32"
};

// Begins a record. What is copied to the device from one of the inputs is recorded by its place, all else by its bytes.
void start_recording(std::vector<MadeUp> inputs);

// The record so far, as package replay reads it.
std::string recorded();

// The address of a driver's function by its name; null for one that Halide's runtime does not need.
void *recorder_symbol(const char *name);

}  // namespace gowarp

#endif
