"""The algorithm of generators.cc in Python, without a schedule."""

import halide as hl


@hl.generator(name="inpython")
class InPython:
    image = hl.InputBuffer(hl.UInt(8), 2)
    out = hl.OutputBuffer(hl.Float(32), 2)

    def generate(self):
        g = self
        x, y = hl.Var("x"), hl.Var("y")
        clamped = hl.BoundaryConditions.repeat_edge(g.image)
        rows = hl.Func("rows")
        rows[x, y] = hl.f32(clamped[x - 1, y]) + hl.f32(clamped[x, y]) + hl.f32(clamped[x + 1, y])
        g.out[x, y] = rows[x, y - 1] + rows[x, y] + rows[x, y + 1]
        g.image.set_estimates([(0, 200), (0, 100)])
        g.out.set_estimates([(0, 200), (0, 100)])


if __name__ == "__main__":
    hl.main()
