// Weighted sums over an image with a boundary condition, as a parameter says them: stages between semicolons, the last of
// them the output; each its name and, after colons, its taps as STAGE,DX,DY,WEIGHT; "in" is the image.
#include "Halide.h"

#include <map>
#include <sstream>

namespace {

using namespace Halide;

std::vector<std::string> split(const std::string &text, char at) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);) {
        parts.push_back(part);
    }
    return parts;
}

class Exchange : public Generator<Exchange> {
public:
    GeneratorParam<std::string> stages{"stages", "a:in,-1,0,2:in,1,0,3:in,0,0,5;b:a,0,-1,2:a,1,0,3:a,0,1,5"};

    Input<Buffer<uint32_t, 2>> input{"input"};
    Output<Buffer<uint32_t, 2>> output{"output"};

    void generate() {
        Var x("x"), y("y");
        std::map<std::string, Func> known;
        Func clamped = BoundaryConditions::repeat_edge(input), in("in"), last;
        in(x, y) = clamped(x, y);
        known["in"] = in;
        for (const std::string &stage : split(stages, ';')) {
            const std::vector<std::string> words = split(stage, ':');
            Func f(words[0]);
            Expr sum = cast<uint32_t>(0);
            for (size_t i = 1; i < words.size(); i++) {
                const std::vector<std::string> tap = split(words[i], ',');
                sum += known.at(tap[0])(x + std::stoi(tap[1]), y + std::stoi(tap[2])) * cast<uint32_t>(std::stoi(tap[3]));
            }
            f(x, y) = sum;
            known[words[0]] = last = f;
        }
        output(x, y) = last(x, y);

        input.set_estimates({{0, 1536}, {0, 2560}});
        output.set_estimates({{0, 1536}, {0, 2560}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Exchange, exchange)
