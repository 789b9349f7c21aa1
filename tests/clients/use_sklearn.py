# SPDX-License-Identifier: Apache-2.0
"""scikit-learn as a client: a perceptron through NumPy, k-means through SciPy's cython_blas."""
import numpy as np
import sklearn
from sklearn.cluster import KMeans
from sklearn.neural_network import MLPClassifier

import judge

print("sklearn", sklearn.__version__)
x = judge.random(400, 40)
y = ((x[:, :20] ** 2).sum(1) > (x[:, 20:] ** 2).sum(1)).astype(int)


def trained(points):
    # No shuffling, and the same start, so that the precision is all that differs.
    network = MLPClassifier((64, 48), solver="sgd", max_iter=5, batch_size=200, shuffle=False,
                            random_state=1, tol=0, n_iter_no_change=100)
    return network.fit(points, y)


single, double = trained(x), trained(x.astype(np.float64))
for i, (got, exact) in enumerate(zip(single.coefs_, double.coefs_)):
    assert got.dtype == np.float32, got.dtype
    judge.close(f"weights {i}", got, exact, 1e-5)
judge.close("probabilities", single.predict_proba(x), double.predict_proba(x.astype(np.float64)), 1e-4)

centers = np.repeat(5 * judge.random(6, 40, seed=2), 100, axis=0)
points = centers + judge.random(600, 40, seed=3)
groups = KMeans(6, n_init=1, init=points[50::100], algorithm="lloyd").fit(points)
assert groups.cluster_centers_.dtype == np.float32
judge.report("k-means groups", (groups.labels_ != np.repeat(np.arange(6), 100)).sum())
means = points.astype(np.float64).reshape(6, 100, 40).mean(1)
judge.close("k-means centers", groups.cluster_centers_, means, 1e-4)
judge.verdict()
