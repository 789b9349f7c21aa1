# SPDX-License-Identifier: Apache-2.0
"""What is published of a device: parts of under eight minutes each, and the commands of each part.

A run is (subject, options of clgemm-bench). Rows of one subject make one table of the device's page.
"""

SUITES = ("squares", "deepbench", "llm", "skinny")
SEEDS = (1, 2, 3)
ODD = "1023x1025x1027,1999x2001x1025"
DEEP = "5124x700x2048,7680x1500x2560"
THIN = "35x700x2048,64x64x65536,4096x16x4096,1x4096x4096,4096x1x4096"
# Of a batch: the size of its square products, and how many a GPU and a CPU multiply in a call.
BATCHES = ((8, 100000, 20000), (16, 100000, 10000), (32, 20000, 4000), (64, 10000, 1000), (100, 4000, 300),
           (128, 2000, 200), (256, 500, 20), (1024, 16, 2))


def random_runs(peers):
    return [("random", f"--random 40 --seed {seed} --peers {peers} --samples 3") for seed in SEEDS]


def suite_runs(peers, suites):
    return [("suites", f"--suite {suite} --peers {peers} --samples 3") for suite in suites]


def batch_runs(peers, which):
    return [("batches", f"--type {kind} --batch {batch[which]} --size {batch[0]} --peers {peers} --samples 3")
            for kind in "sd" for batch in BATCHES]


GPU = {
    "squares": [
        ("squares", "--size 64-8192*2 --peers cublas,clblast,viennacl --samples 5"),
        ("transposes", f"--shape {ODD},1024x1024x1024,4096x4096x4096 --trans NN,NT,TN,TT --peers cublas --samples 5"),
        ("beta", f"--beta 1 --shape {ODD},1024x1024x1024,4096x4096x4096,2048x2048x128 --peers cublas --samples 5"),
    ],
    "suites": suite_runs("cublas", SUITES),
    "random": random_runs("cublas"),
    "modes": [
        *[("modes", f"--math {math} --size 512-8192*2 --shape {ODD},{DEEP} --peers cublas --samples 5")
          for math in ("strict", "accurate", "normwise", "tf32", "bf16", "f16")],
        ("16 bits", "--type h --math f16 --size 1024-8192*2 --peers cublas --samples 5"),
        ("16 bits", "--type bf16 --math bf16 --size 1024-8192*2 --peers cublas --samples 5"),
    ],
    "doubles": [
        ("doubles", f"--type d --size 256-8192*2 --shape 2048x2048x128,{ODD},{DEEP},{THIN} --peers cublas --samples 3"),
        *batch_runs("cublas", 1),
    ],
    "host": [
        ("host", "--size 256-8192*2 --shape 32x4096x4096,4096x16x4096 --peers openblas,cublasxt --samples 5"),
        ("overhead", "--overhead --size 64,256,1024"),
        ("first call", "--first-call --size 256,1024 --repeat 5"),
        ("ladder", "--ladder --size 4096 --peers openblas,clblast,cublas"),
    ],
}

CPU = {
    "squares": [
        ("squares", "--size 64-4096*2,96,192,384,768,1000,1536,3000 --peers openblas,clblast,viennacl --samples 5"),
        ("transposes", f"--shape {ODD},1024x1024x1024 --trans NN,NT,TN,TT --peers openblas --samples 5"),
    ],
    "large": suite_runs("openblas", SUITES[:1]),
    "suites": suite_runs("openblas", SUITES[1:]),
    "doubles": [
        ("doubles", f"--type d --size 256-2048*2 --shape 2048x2048x128,{ODD},{THIN} --peers openblas --samples 3"),
        *batch_runs("openblas", 2),
    ],
    "calls": [
        ("overhead", "--overhead --size 64,256,1024"),
        ("first call", "--first-call --size 256,1024 --repeat 5"),
        ("ladder", "--ladder --size 1024 --peers openblas,clblast"),
    ],
}
