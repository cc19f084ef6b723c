"""A Halide schedule, made by gowarp for sm_75: schedule(pipeline) applies it."""

import halide as hl


def _func(pipeline, index, name):
    func = pipeline.get_func(index)
    if func.name().split("$")[0] != name:
        raise ValueError(f"Func {index} of the pipeline is {func.name()} and not {name}: the schedule was made for another pipeline")
    return func


def schedule(pipeline):
    """Schedules an untouched pipeline."""
    harris = _func(pipeline, 9, "harris")
    gray = _func(pipeline, 0, "gray")
    Ix = _func(pipeline, 1, "Ix")
    Iy = _func(pipeline, 2, "Iy")
    harris_x = harris.args()[0]
    harris_y = harris.args()[1]
    gray_x = gray.args()[0]
    gray_y = gray.args()[1]
    Ix_x = Ix.args()[0]
    Ix_y = Ix.args()[1]
    Iy_x = Iy.args()[0]
    Iy_y = Iy.args()[1]
    x_o = hl.Var("x_o")
    x_i = hl.Var("x_i")
    y_o = hl.Var("y_o")
    y_i = hl.Var("y_i")
    (
        harris
        .compute_root()
        .split(harris_x, x_o, x_i, 32, hl.TailStrategy.GuardWithIf)
        .split(harris_y, y_o, y_i, 16, hl.TailStrategy.GuardWithIf)
        .reorder(x_i, y_i, x_o, y_o)
        .gpu_blocks(x_o, y_o)
        .gpu_threads(x_i, y_i)
    )
    (
        gray
        .compute_at(harris, x_o)
        .store_in(hl.MemoryType.GPUShared)
        .gpu_threads(gray_x, gray_y)
    )
    (
        Ix
        .compute_at(harris, x_o)
        .store_in(hl.MemoryType.GPUShared)
        .gpu_threads(Ix_x, Ix_y)
    )
    (
        Iy
        .compute_at(harris, x_o)
        .store_in(hl.MemoryType.GPUShared)
        .gpu_threads(Iy_x, Iy_y)
    )
    (
        gray
        .bound_storage(gray_x, 36)
    )
