// Runs every library of the project and compares it with the sums themselves.
#include "byhand.h"
#include "inpython.h"
#include "named.h"
#include "plain.h"
#include "plain_cpu.h"
#include "polite.h"

#include <HalideBuffer.h>

#include <algorithm>
#include <cstdio>

using Halide::Runtime::Buffer;

int main() {
    const int w = 83, h = 41;  // fit no tile
    Buffer<uint8_t, 2> image(w, h);
    image.for_each_element([&](int x, int y) { image(x, y) = (uint8_t)(x * 7 + y * y * 13); });
    image.set_host_dirty();
    const struct {
        const char *name;
        int (*run)(halide_buffer_t *, halide_buffer_t *);
    } libraries[] = {{"plain", plain}, {"plain_cpu", plain_cpu}, {"byhand", byhand},
                     {"polite", polite}, {"named", named}, {"inpython", inpython}};
    int wrong = 0;
    for (const auto &l : libraries) {
        Buffer<float, 2> out(w, h);
        out.fill(-1);
        if (l.run(image, out)) {
            return 1;
        }
        out.copy_to_host();
        int differ = 0;
        for (int y = 0; y < h; y++) {
            for (int x = 0; x < w; x++) {
                int sum = 0;
                for (int j = -1; j <= 1; j++) {
                    for (int i = -1; i <= 1; i++) {
                        sum += image(std::clamp(x + i, 0, w - 1), std::clamp(y + j, 0, h - 1));
                    }
                }
                differ += out(x, y) != (float)sum;
            }
        }
        std::printf("%s: %d of %d points differ\n", l.name, differ, w * h);
        wrong += differ != 0;
    }
    return wrong != 0;
}
