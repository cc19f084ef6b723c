"""Every way of every framework that this machine has, as functions of arrays of one kind."""

import numpy as np

FRAMEWORKS = ["torch", "torch compiled", "torch compiled, max-autotune", "cupy", "triton"]


class Variant:
    """A way to compute a program. call() returns the framework's own array."""

    def __init__(self, name, function, inputs, to_numpy, with_):
        self.name, self.function, self.inputs, self.to_numpy, self.with_ = name, function, inputs, to_numpy, with_

    def call(self):
        return self.function(**self.inputs)


def of(framework, program, made, device):
    """{name: variant} of a program in a framework, on the inputs; ImportError where it is not
    there. device is "cuda" or, for a rehearsal, "cpu": then NumPy stands for CuPy."""
    if framework == "cupy":
        if device == "cpu":
            xp, name = np, "numpy, for cupy"
            arrays, to_numpy = made, lambda a: a
        else:
            import cupy as xp
            name, to_numpy = "cupy", xp.asnumpy
            arrays = {k: xp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in made.items()}
        import array_programs
        function = getattr(array_programs, program)
        return {name: Variant(name, lambda **inputs: function(xp, **inputs), arrays, to_numpy, {xp.__name__: xp.__version__})}

    import torch
    import torch_programs
    torch_programs.settle()
    tensors = {k: torch.from_numpy(v).to(device) if isinstance(v, np.ndarray) else v for k, v in made.items()}
    versions = {"torch": torch.__version__}
    to_numpy = lambda t: t.cpu().numpy()
    out = {}
    if framework == "triton":
        import triton
        import triton_programs
        versions["triton"] = triton.__version__
        for i, function in enumerate(triton_programs.WAYS[program]):
            name = "triton" if len(triton_programs.WAYS[program]) == 1 else "triton, tile " + "x".join(map(str, triton_programs.DOTS[i]))
            out[name] = Variant(name, function, tensors, to_numpy, versions)
        return out
    for way, function in torch_programs.WAYS[program].items():
        name = f"{framework}: {way}"
        if framework == "torch compiled":
            function = torch.compile(function, dynamic=False)
        elif framework != "torch":
            # Without CUDA graphs, in which the inputs would be copied.
            function = torch.compile(function, dynamic=False, mode="max-autotune-no-cudagraphs")
        out[name] = Variant(name, function, tensors, to_numpy, versions)
    return out
