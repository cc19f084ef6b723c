"""Times of calls on a GPU, taken as the bundle's runner takes them: by events and by the host's clock, with
the L2 flushed before every call and not, behind a kernel that keeps the GPU busy until the call is queued."""

import statistics
import time

import torch

WARM_MS, SAMPLE_MS, MOST = 10, 20, 50  # of each time in a round
HOLD_US = 200  # at least, behind which a call is queued


class Clock:
    def __init__(self):
        about = torch.cuda.get_device_properties(0)
        self.l2 = getattr(about, "L2_cache_size", 0) or 64 << 20
        n = max(64 << 20, 3 * self.l2)
        self.source, self.target = torch.empty(n, dtype=torch.uint8, device="cuda"), torch.empty(n, dtype=torch.uint8, device="cuda")
        # _sleep counts cycles of a clock that is not said to be any; how many a microsecond is measured.
        spin = 10_000_000
        torch.cuda._sleep(spin)
        self.cycles_per_us = spin / self.between(lambda: torch.cuda._sleep(spin))

    @staticmethod
    def between(call):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end) * 1e3

    def flush(self):
        self.target.copy_(self.source)

    def copy_gb_per_s(self):
        """Read and written, of 512 MiB within the device."""
        n = 512 << 20
        a, b = torch.empty(n, dtype=torch.uint8, device="cuda"), torch.empty(n, dtype=torch.uint8, device="cuda")
        b.copy_(a)
        return statistics.median(2 * n / self.between(lambda: b.copy_(a)) / 1e3 for _ in range(9))

    def queueing_us(self, call):
        """How long the host takes to queue a call."""
        worst = 0
        for _ in range(5):
            torch.cuda.synchronize()
            start = time.perf_counter()
            call()
            worst = max(worst, (time.perf_counter() - start) * 1e6)
        torch.cuda.synchronize()
        return worst

    def gpu(self, call, cold, hold_us):
        """Microseconds between events around a call, and whether the GPU waited for the host before it began."""
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        if cold:
            self.flush()
        torch.cuda._sleep(int(hold_us * self.cycles_per_us))
        start.record()
        call()
        end.record()
        starved = start.query()  # the call was not queued before it was its turn
        torch.cuda.synchronize()
        return start.elapsed_time(end) * 1e3, starved

    def wall(self, call, cold):
        if cold:
            self.flush()
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e6, False

    def turn(self, call, what, cold):
        """One round's samples: [(us, starved)]."""
        hold = max(HOLD_US, 2 * self.queueing_us(call))
        take = (lambda: self.gpu(call, cold, hold)) if what == "gpu" else (lambda: self.wall(call, cold))
        until = time.perf_counter() + WARM_MS / 1e3
        while time.perf_counter() < until:
            take()
        samples = []
        until = time.perf_counter() + SAMPLE_MS / 1e3
        while len(samples) < MOST and (not samples or time.perf_counter() < until):
            samples.append(take())
        return samples


def summary(rounds):
    """Of the rounds' samples, as a line of the bundle has it."""
    every = [us for r in rounds for us, _ in r]
    medians = [statistics.median(us for us, _ in r) for r in rounds]
    median = statistics.median(every)
    return {
        "median": short(median), "best": short(min(every)), "samples": len(every), "spread": short((max(medians) - min(medians)) / median),
        "starved": sum(starved for r in rounds for _, starved in r), "round_medians": [short(m) for m in medians],
    }


def short(v):
    return float(f"{v:.5g}")
