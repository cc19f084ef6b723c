#ifndef GOWARP_GIVEN_H
#define GOWARP_GIVEN_H

#include <Halide.h>

#include <map>
#include <string>

namespace gowarp {

// The parameters that the user gave: those that Halide hands on, or, where it
// hands on none, those of the generator's command line. A generator in Python loses them in
// Halide 21, which writes every autoscheduler.KEY=VALUE into a copy.
std::map<std::string, std::string> given_params(const Halide::AutoschedulerParams &params);

}  // namespace gowarp

#endif
