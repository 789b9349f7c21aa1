# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a client: Linear forward and backward on the CPU, which call sgemm_."""
import torch

import judge

print("torch", torch.__version__)
x = torch.from_numpy(judge.random(131, 119)).requires_grad_()
layer = torch.nn.Linear(119, 127)
weight, bias = judge.random(127, 119, seed=2), judge.random(127, seed=3)
with torch.no_grad():
    layer.weight.copy_(torch.from_numpy(weight))
    layer.bias.copy_(torch.from_numpy(bias))
gradient = judge.random(131, 127, seed=4)

y = layer(x)
y.backward(torch.from_numpy(gradient))
points = x.detach().numpy()
judge.product("forward", y.detach().numpy(), points, weight.T, beta=1, before=bias, sums=1)
judge.product("gradient of x", x.grad.numpy(), gradient, weight)
judge.product("gradient of the weight", layer.weight.grad.numpy(), gradient.T, points)
judge.product("matmul", (x @ x.T).detach().numpy(), points, points.T)
stack = torch.from_numpy(judge.random(4, 65, 70, seed=5))
for i, c in enumerate(torch.bmm(stack, stack.transpose(1, 2))):
    judge.product(f"bmm {i}", c.numpy(), stack[i].numpy(), stack[i].numpy().T)
judge.verdict()
