#!/usr/bin/env python3
"""Trains what an experiment trains with PyTorch, and prints a row with the columns of `spinnsim baseline --format csv`.

    scripts/study/baseline_torch.py configs/experiments/fc128_train.yaml [--device cpu|cuda] [--graph] [--threads N] [--repeat R]

Network, batch, recipe and initial bounds are the experiment's; the drawn weights and the order of images are PyTorch's.  Joules are
measured on a GPU (NVML, by pynvml; without it left empty), and assumed of a CPU, as `spinnsim baseline` does.  With --graph the GPU replays an update
that has been captured once (CUDA graph), so that the host launches one thing instead of some fifty.  Exit status 77: PyTorch is not installed.
Debian: python3-torch, with libopenblas0-pthread; on the reference BLAS that it installs alone dense networks take 18 times as long."""
import argparse
import csv
import gzip
import math
import os
import re
import struct
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--graph", action="store_true", help="cuda: capture an update once, and replay it")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--data", default=os.environ.get("SPINNSIM_DATA", ""), help="folder of MNIST; default $SPINNSIM_DATA")
    parser.add_argument("--images", type=int, default=0, help="train only so many; default: the experiment's")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "spinnsim"), help="resolves the configuration")
    return parser.parse_args()


def fail(message):
    sys.exit("baseline_torch.py: " + message)


def configuration(program, experiment):
    """The keys as spinnsim resolves them: {"train.epochs": "1", ...}."""
    try:
        text = subprocess.run([program, "config", experiment], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as problem:
        fail(getattr(problem, "stderr", None) or str(problem))
    keys = {}
    group = ""
    for line in text.splitlines():
        found = re.match(r"^( *)([a-z_0-9]+):(?: (.*))?$", line)
        if found and found.group(1) == "":
            group = found.group(2) + "."
            keys[found.group(2)] = found.group(3) or ""
        elif found and found.group(1) == "  ":
            keys[group + found.group(2)] = found.group(3) or ""
    return keys


def layers_of(name):
    """The layers of a shipped network, which stand one a line: [{"type": "conv2d", "maps": "4", ...}]."""
    layers = []
    with open(os.path.join(ROOT, "configs", "networks", name + ".yaml"), encoding="utf-8") as file:
        for line in file:
            found = re.match(r"^ *- \{(.*)\}", line)
            if found:
                layers.append(dict(part.split(": ", 1) for part in found.group(1).split(", ")))
    return layers


def images_of(folder, split, count):
    """The first `count` images and labels as bytes."""
    def read(kind):
        for name in (f"{split}-{kind}-ubyte", f"{split}-{kind.replace('-', '.', 1)}-ubyte"):
            for ending, opened in (("", open), (".gz", gzip.open)):
                path = os.path.join(folder, name + ending)
                if os.path.exists(path):
                    with opened(path, "rb") as file:
                        return file.read()
        fail(f"{folder or '--data'}: no file {split}-{kind}-ubyte")
    pixels, labels = read("images-idx3"), read("labels-idx1")
    return pixels[16:16 + 784 * min(count, struct.unpack(">I", pixels[4:8])[0])], labels[8:8 + count]


def network_of(torch, layers):
    """The network, and the multiplications and additions that training takes for an image."""
    nn = torch.nn
    modules, shape, operations, passes = [], (1, 28, 28), 0, False
    for layer in layers:
        kind = layer["type"]
        size = int(layer.get("kernel", layer.get("size", 0)))
        if kind == "conv2d":
            padding = size // 2 if layer.get("padding") == "same" else int(layer.get("padding", 0))
            module = nn.Conv2d(shape[0], int(layer["maps"]), size, padding=padding)
            fan_in = shape[0] * size * size
            shape = (int(layer["maps"]), shape[1] + 2 * padding - size + 1, shape[2] + 2 * padding - size + 1)
            products = math.prod(shape) * fan_in
        elif kind == "max_pool2d":
            modules.append(nn.MaxPool2d(size))
            shape = (shape[0], shape[1] // size, shape[2] // size)
            continue
        elif kind == "dense":
            if len(shape) > 1:
                modules.append(nn.Flatten())
            fan_in = math.prod(shape)
            module = nn.Linear(fan_in, int(layer["units"]))
            shape = (int(layer["units"]),)
            products = fan_in * shape[0]
        else:
            fail(f"layer {layer['name']}: no module for {kind}")
        operations += 2 * products * (3 if passes else 2)
        passes = True
        bound = math.sqrt((3 if layer.get("activation") == "softmax" else 6) / fan_in)
        nn.init.uniform_(module.weight, -bound, bound)
        nn.init.zeros_(module.bias)
        modules.append(module)
        if layer.get("activation") == "relu":
            modules.append(nn.ReLU())
        elif layer.get("activation", "identity") not in ("identity", "softmax"):
            fail(f"layer {layer['name']}: no module for {layer['activation']}")
    return nn.Sequential(*modules), operations


def rate_of(keys, update, updates, per_epoch):
    """The share of the full rate, as workloads/nn/schedule.c: a linear warm-up, then linear decay or none."""
    warm_up = math.floor(float(keys["train.warm_up"]) * per_epoch + 0.5)
    if update < warm_up:
        return (update + 1) / warm_up
    return (updates - update) / (updates - warm_up) if keys["train.decay"] == "linear" else 1


class Meter:
    """Joules of the GPU since it was begun; None without a GPU or NVML."""

    def __init__(self, device):
        self.handle = None
        if device == "cuda":
            try:
                import pynvml
                pynvml.nvmlInit()
                self.nvml, self.handle = pynvml, pynvml.nvmlDeviceGetHandleByIndex(0)
                self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.handle)
            except Exception as problem:  # pylint: disable=broad-except
                self.handle = None
                print(f"baseline_torch.py: no joules: {problem}", file=sys.stderr)

    def read(self):
        return None if self.handle is None else self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.handle) / 1000


class Descent:
    """v <- momentum v + rate G, w <- w - v: the rate is within v, so PyTorch's own momentum, which has it outside, would differ in the warm-up."""

    def __init__(self, torch, parameters, momentum):
        self.parameters, self.momentum = parameters, momentum
        self.velocity = [torch.zeros_like(p) for p in parameters]

    @staticmethod
    def numbers(rate, _):
        return (rate,)

    def step(self, rate):
        for p, v in zip(self.parameters, self.velocity):
            v.mul_(self.momentum).add_(p.grad * rate)
            p.sub_(v)


class AcceleGrad:
    """Levy, Yurtsever and Cevher 2018, as workloads/nn/update.h has it: w = z / a + (1 - 1 / a) y, a = max(1, (t + 1) / 4)."""
    EPSILON = 1e-8  # OPTIMIZER_EPSILON

    def __init__(self, torch, parameters):
        self.parameters = parameters
        self.ahead = [torch.zeros_like(p) for p in parameters]  # z - w
        self.squares = [torch.zeros_like(p) for p in parameters]

    @staticmethod
    def numbers(rate, update):
        return (rate, max(1, (update + 1) / 4), 1 / max(1, (update + 2) / 4))

    def step(self, rate, weight, coupling):
        for p, ahead, squares in zip(self.parameters, self.ahead, self.squares):
            squares.add_(p.grad * p.grad * (weight * weight))
            step = p.grad * (rate / (squares.sqrt() + self.EPSILON))
            z = p + ahead - weight * step
            p.sub_(step).mul_(1 - coupling).add_(z * coupling)
            ahead.copy_(z - p)


class Updates:
    """The updates of a training: eager, or replays of a captured one for batches of the usual size."""
    WARM_UP = 3  # updates before the capture, as PyTorch's documentation has it; they are undone

    def __init__(self, torch, network, rule, loss_of, data, batch, graph):
        self.torch, self.network, self.rule, self.loss_of, self.data = torch, network, rule, loss_of, data
        self.graph = None
        if graph:
            self.chosen = torch.zeros(batch, dtype=torch.long, device=data[0].device)
            self.numbers = torch.zeros(len(rule.numbers(0, 0)), device=data[0].device)
            state = [tensor for value in vars(rule).values() if isinstance(value, list) for tensor in value]
            kept = [tensor.detach().clone() for tensor in state]
            self.numbers.copy_(torch.tensor(rule.numbers(0, 0)))
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(self.WARM_UP):
                    self.eager(self.chosen, *self.numbers)
            torch.cuda.current_stream().wait_stream(side)
            captured = torch.cuda.CUDAGraph()
            with torch.cuda.graph(captured):
                self.eager(self.chosen, *self.numbers)
            with torch.no_grad():
                for tensor, value in zip(state, kept):
                    tensor.copy_(value)
            self.graph = captured

    def eager(self, chosen, *numbers):
        images, labels = self.data
        for p in self.rule.parameters:
            p.grad = None
        self.loss_of(self.network(images[chosen]), labels[chosen]).backward()
        with self.torch.no_grad():
            self.rule.step(*numbers)

    def one(self, chosen, rate, update):
        numbers = self.rule.numbers(rate, update)
        if self.graph is None or len(chosen) != len(self.chosen):
            self.eager(chosen, *numbers)
            return
        self.chosen.copy_(chosen)
        self.numbers.copy_(self.torch.tensor(numbers))
        self.graph.replay()


def train(torch, keys, layers, data, options):
    """One training: its seconds, CPU seconds, seconds of a test, accuracy, loss, joules, operations of an image, updates."""
    device, (images, labels), (test_images, test_labels) = options.device, *data
    torch.manual_seed(int(keys["seed"]))
    network, operations = network_of(torch, layers)
    network.to(device)
    mean = keys.get("train.reduction") == "mean"
    rate, momentum = float(keys["train.learning_rate"]), float(keys.get("train.momentum") or 0)
    batch, epochs = int(keys["train.global_batch"]), int(keys["train.epochs"])
    loss_of = torch.nn.CrossEntropyLoss(reduction="mean" if mean else "sum")
    parameters = list(network.parameters())
    rule = AcceleGrad(torch, parameters) if keys["train.optimizer"] == "accelegrad" else Descent(torch, parameters, momentum)
    per_epoch = math.ceil(len(labels) / batch)
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    meter = Meter(device)
    updates = Updates(torch, network, rule, loss_of, (images, labels), batch, options.graph)
    wait()
    joules, cpu, begin = meter.read(), time.process_time(), time.monotonic()
    update = 0
    for _ in range(epochs):
        order = torch.randperm(len(labels), device=device)
        for first in range(0, len(labels), batch):
            chosen = order[first:first + batch]
            updates.one(chosen, rate * rate_of(keys, update, per_epoch * epochs, per_epoch), update)
            update += 1
    wait()
    seconds, cpu = time.monotonic() - begin, time.process_time() - cpu
    joules = None if joules is None else meter.read() - joules
    begin = time.monotonic()
    with torch.no_grad():
        logits = torch.cat([network(part) for part in test_images.split(1000)])
        accuracy = (logits.argmax(1) == test_labels).float().mean().item()
        loss = torch.nn.functional.cross_entropy(logits, test_labels).item()
    return seconds, cpu, time.monotonic() - begin, accuracy, loss, joules, operations, update


def core_watts():
    """Assumed watts of a CPU core: low, geometric mean, high, as sim/baseline/joules.h."""
    with open(os.path.join(ROOT, "configs", "baselines", "watts.csv"), encoding="utf-8", newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["device"] == "CPU core, range to compare with")
    low, high = float(row["watts_low"]), float(row["watts_high"])
    return low, math.sqrt(low * high), high


def columns():
    with open(os.path.join(ROOT, "sim", "baseline", "baseline_columns.def"), encoding="utf-8") as file:
        return re.findall(r"^(?:HOST_)?(?:TEXT|WHOLE|REAL)\((\w+),", file.read(), re.M)


def main():
    options = arguments()
    # Before PyTorch is loaded: libraries for linear algebra have threads of their own, and spin when more want to run than there are cores.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(options.threads)
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    begin = time.monotonic()
    try:
        import torch
    except ImportError as problem:
        print(f"baseline_torch.py: skipped: PyTorch cannot be loaded ({problem})", file=sys.stderr)
        return 77
    if options.graph and options.device != "cuda":
        fail("--graph is for --device cuda")
    if options.device == "cuda" and not torch.cuda.is_available():
        print("baseline_torch.py: skipped: PyTorch sees no GPU", file=sys.stderr)
        return 77
    torch.set_num_threads(options.threads)
    keys = configuration(options.program, options.experiment)
    if keys.get("mode") != "train" or keys.get("train.optimizer") not in ("sgd", "momentum", "accelegrad") or keys["data.set"] != "mnist":
        fail(f"{options.experiment}: only a training by sgd, momentum or accelegrad on MNIST")
    if keys["train.decay"] not in ("linear", "none") or int(keys["train.patience"]) or float(keys["train.target_accuracy"]):
        fail(f"{options.experiment}: this decay or stopping rule is not here")
    layers = layers_of(keys["network.name"])
    data = []
    for split, count in (("train", options.images or int(keys["data.train_images"])), ("t10k", int(keys["data.test_images"]))):
        pixels, labels = images_of(options.data, split, count)
        images = torch.frombuffer(bytearray(pixels), dtype=torch.uint8).reshape(-1, 1, 28, 28).float().div_(256)
        data.append((images.to(options.device), torch.frombuffer(bytearray(labels), dtype=torch.uint8).long().to(options.device)))
    loaded = time.monotonic() - begin
    runs = [train(torch, keys, layers, data, options) for _ in range(options.repeat)]

    def median(values):
        values = sorted(values)
        return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2

    seconds, cpu = median(r[0] for r in runs), median(r[1] for r in runs)
    images, work = len(data[0][1]) * int(keys["train.epochs"]), runs[0][6] / 1e9
    row = {"experiment": keys["name"], "network": keys["network.name"], "program": f"torch {torch.__version__} {options.device}" + (" graph" if options.graph else ""),
           "threads": options.threads, "processes": 1, "images": images, "epochs": keys["train.epochs"],
           "batch": keys["train.global_batch"], "optimizer": keys["train.optimizer"], "updates": runs[0][7], "repeats": options.repeat, "seconds_train": seconds,
           "seconds_train_least": min(r[0] for r in runs), "seconds_train_most": max(r[0] for r in runs),
           "seconds_cold": loaded + runs[0][0], "seconds_test": median(r[2] for r in runs), "cpu_seconds": cpu,
           "images_per_second": images / seconds, "gflops": work * images / seconds, "gflops_core": work * images / cpu,
           "accuracy": runs[0][3], "loss": runs[0][4], "validation_accuracy": "", "load": os.getloadavg()[0]}
    if options.device == "cuda":
        row["gflops_core"] = ""
        row["cpu"] = torch.cuda.get_device_name(0)
    else:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            row["cpu"] = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")
    if runs[0][5] is not None:
        joules = [r[5] for r in runs]
        row.update(joules_kind="measured", joules_low=min(joules), joules=median(joules), joules_high=max(joules))
    if options.device == "cpu":
        row.update(zip(("joules_low", "joules", "joules_high"), (cpu * watts for watts in core_watts())), joules_kind="assumed")
    names = columns()
    print(",".join(names))
    print(",".join(f"{row[n]:.6g}" if isinstance(row.get(n), float) else str(row.get(n, "")).replace(",", " ") for n in names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
