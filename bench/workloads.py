# SPDX-License-Identifier: Apache-2.0
"""Times one real workload: workloads.py NAME SIZE REPEATS TYPE [at-once].

Prints a line `ms` for each repetition, and `check`, a value that must not depend on the BLAS. Before the
first timed repetition it waits until its own threads are idle; if they keep polling, it prints how many
cores they use (`restless`). With at-once it does not wait, like any program."""
import sys
import time
import warnings

import numpy as np

import in_turn


REALS = {"s": np.float32, "d": np.float64}
real = REALS[sys.argv[4]]


def random(*shape):
    return np.random.RandomState(sum(shape)).standard_normal(shape).astype(real)


def numpy_chain(size):
    """Ten products, each of the previous result and another matrix, scaled to keep its magnitude."""
    widths = [size, size * 5 // 4, size * 3 // 4, size, size // 2, size * 3 // 2]
    links = [random(m, n) / real(m) ** 0.5 for m, n in zip(widths, widths[1:] + widths[:1])]
    start = random(size, size)

    def work():
        x = start
        for i in range(10):
            x = np.tanh(x @ links[i % len(links)])
        return float((x * x).mean())

    return work


def sklearn_mlp(size):
    """Trains a perceptron with two hidden layers on 784 features with Adam."""
    from sklearn.neural_network import MLPClassifier

    warnings.simplefilter("ignore")
    x = random(8 * size, 784)
    y = (x[:, :10] @ random(10, 10)).argmax(1)

    def work():
        network = MLPClassifier((size, size // 2), batch_size=size, max_iter=3, random_state=1,
                                tol=0, n_iter_no_change=100)
        return float(network.fit(x, y).loss_)

    return work


def torch_forward(size):
    """The forward pass of four linear layers with ReLU, on the CPU."""
    import torch

    torch.manual_seed(1)
    torch.set_default_dtype(torch.from_numpy(random(1)).dtype)
    widths = [size, 4 * size, 4 * size, size, 1000]
    layers = []
    for m, n in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(m, n), torch.nn.ReLU()]
    network, x = torch.nn.Sequential(*layers), torch.from_numpy(random(size, size))

    def work():
        with torch.no_grad():
            return float(network(x).square().mean())

    return work


WORKLOADS = {"numpy": numpy_chain, "sklearn": sklearn_mlp, "torch": torch_forward}


def main():
    name, size, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    work = WORKLOADS[name](size)
    check = work()  # opens the device, builds programs, fills allocators' pools
    restless = 0 if sys.argv[5:] == ["at-once"] else in_turn.until_quiet(time.process_time, 0.5, 0.01)
    if restless:
        print(f"restless {restless:.2f}")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        print(f"ms {1e3 * (time.perf_counter() - start):.4f}")
    print(f"check {check:.9g}")


if __name__ == "__main__":
    main()
