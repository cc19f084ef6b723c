"""A Halide schedule, made by gowarp for sm_75: schedule(pipeline) applies it."""

import halide as hl


def _func(pipeline, index, name):
    func = pipeline.get_func(index)
    if func.name().split("$")[0] != name:
        raise ValueError(f"Func {index} of the pipeline is {func.name()} and not {name}: the schedule was made for another pipeline")
    return func


def schedule(pipeline):
    """Schedules an untouched pipeline."""
    hist = _func(pipeline, 0, "hist")
    cdf = _func(pipeline, 1, "cdf")
    equalised = _func(pipeline, 2, "equalised")
    hist_i = hist.args()[0]
    hist_r_x = hist.rvars(0)[0]
    hist_r_y = hist.rvars(0)[1]
    cdf_i = cdf.args()[0]
    equalised_x = equalised.args()[0]
    equalised_y = equalised.args()[1]
    i_o = hl.Var("i_o")
    i_i = hl.Var("i_i")
    r_xy = hl.RVar("r_xy")
    r_xy_o = hl.RVar("r_xy_o")
    r_xy_i = hl.RVar("r_xy_i")
    x_o = hl.Var("x_o")
    x_i = hl.Var("x_i")
    y_o = hl.Var("y_o")
    y_i = hl.Var("y_i")
    (
        hist
        .compute_root()
        .split(hist_i, i_o, i_i, 128, hl.TailStrategy.GuardWithIf)
        .gpu_blocks(i_o)
        .gpu_threads(i_i)
    )
    (
        hist.update(0)
        .atomic()
        .fuse(hist_r_x, hist_r_y, r_xy)
        .split(r_xy, r_xy_o, r_xy_i, 256, hl.TailStrategy.GuardWithIf)
        .gpu_blocks(r_xy_o)
        .gpu_threads(r_xy_i)
    )
    (
        cdf
        .compute_root()
        .split(cdf_i, i_o, cdf_i, 128, hl.TailStrategy.GuardWithIf)
        .gpu_blocks(i_o)
        .gpu_threads(cdf_i)
    )
    (
        cdf.update(0)
        .gpu_single_thread()
    )
    (
        equalised
        .compute_root()
        .split(equalised_x, x_o, x_i, 32, hl.TailStrategy.GuardWithIf)
        .split(equalised_y, y_o, y_i, 8, hl.TailStrategy.GuardWithIf)
        .reorder(x_i, y_i, x_o, y_o)
        .gpu_blocks(x_o, y_o)
        .gpu_threads(x_i, y_i)
    )
