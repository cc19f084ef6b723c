Func harris = pipeline.get_func(9);
Func gray = pipeline.get_func(0);
Func Ix = pipeline.get_func(1);
Func Iy = pipeline.get_func(2);
Var harris_x = harris.args().at(0);
Var harris_y = harris.args().at(1);
Var gray_x = gray.args().at(0);
Var gray_y = gray.args().at(1);
Var Ix_x = Ix.args().at(0);
Var Ix_y = Ix.args().at(1);
Var Iy_x = Iy.args().at(0);
Var Iy_y = Iy.args().at(1);
Var x_o("x_o");
Var x_i("x_i");
Var y_o("y_o");
Var y_i("y_i");
harris
    .compute_root()
    .split(harris_x, x_o, x_i, 32, TailStrategy::GuardWithIf)
    .split(harris_y, y_o, y_i, 16, TailStrategy::GuardWithIf)
    .reorder(std::vector<::Halide::VarOrRVar>{x_i, y_i, x_o, y_o})
    .gpu_blocks(x_o, y_o)
    .gpu_threads(x_i, y_i);
gray
    .compute_at(harris, x_o)
    .store_in(MemoryType::GPUShared)
    .gpu_threads(gray_x, gray_y);
Ix
    .compute_at(harris, x_o)
    .store_in(MemoryType::GPUShared)
    .gpu_threads(Ix_x, Ix_y);
Iy
    .compute_at(harris, x_o)
    .store_in(MemoryType::GPUShared)
    .gpu_threads(Iy_x, Iy_y);
gray
    .bound_storage(gray_x, 36);
