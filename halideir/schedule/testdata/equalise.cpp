Func hist = pipeline.get_func(0);
Func cdf = pipeline.get_func(1);
Func equalised = pipeline.get_func(2);
Var hist_i = hist.args().at(0);
RVar hist_r_x = hist.rvars(0).at(0);
RVar hist_r_y = hist.rvars(0).at(1);
Var cdf_i = cdf.args().at(0);
Var equalised_x = equalised.args().at(0);
Var equalised_y = equalised.args().at(1);
Var i_o("i_o");
Var i_i("i_i");
RVar r_xy("r_xy");
RVar r_xy_o("r_xy_o");
RVar r_xy_i("r_xy_i");
Var x_o("x_o");
Var x_i("x_i");
Var y_o("y_o");
Var y_i("y_i");
hist
    .compute_root()
    .split(hist_i, i_o, i_i, 128, TailStrategy::GuardWithIf)
    .gpu_blocks(i_o)
    .gpu_threads(i_i);
hist.update(0)
    .atomic()
    .fuse(hist_r_x, hist_r_y, r_xy)
    .split(r_xy, r_xy_o, r_xy_i, 256, TailStrategy::GuardWithIf)
    .gpu_blocks(r_xy_o)
    .gpu_threads(r_xy_i);
cdf
    .compute_root()
    .split(cdf_i, i_o, cdf_i, 128, TailStrategy::GuardWithIf)
    .gpu_blocks(i_o)
    .gpu_threads(cdf_i);
cdf.update(0)
    .gpu_single_thread();
equalised
    .compute_root()
    .split(equalised_x, x_o, x_i, 32, TailStrategy::GuardWithIf)
    .split(equalised_y, y_o, y_i, 8, TailStrategy::GuardWithIf)
    .reorder(std::vector<::Halide::VarOrRVar>{x_i, y_i, x_o, y_o})
    .gpu_blocks(x_o, y_o)
    .gpu_threads(x_i, y_i);
