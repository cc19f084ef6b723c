"""A Halide generator in Python that knows nothing of gowarp."""

import halide as hl


@hl.generator(name="pysmall")
class PySmall:
    # plain; scheduled: always; polite: where nobody else does; estimates: without them
    habit = hl.GeneratorParam("plain")
    image = hl.InputBuffer(hl.UInt(8), 2)
    out = hl.OutputBuffer(hl.Float(32), 2)

    def generate(self):
        g = self
        x, y = hl.Var("x"), hl.Var("y")
        sums = hl.Func("sums")
        sums[x, y] = hl.f32(g.image[x, y]) + hl.f32(g.image[x + 1, y])
        g.out[x, y] = sums[x, y] + sums[x, y + 1]
        g.image.set_estimates([(0, 65), (0, 49)])
        if g.habit != "estimates":
            g.out.set_estimates([(0, 64), (0, 48)])
        if g.habit == "scheduled" or g.habit == "polite" and not g.using_autoscheduler():
            sums.compute_root()


if __name__ == "__main__":
    hl.main()
