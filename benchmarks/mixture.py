"""EM for Gaussian mixtures against scikit-learn: the same model, start and number of iterations, one thread, one run.

python benchmarks/mixture.py
"""

import os
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy is imported

import numpy as np  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.mixture import GaussianMixture  # noqa: E402

from sdclab.clustering import mixture  # noqa: E402

ITERATIONS = 50


def compare(n: int, p: int, clusters: int, model: str, theirs: str) -> None:
    rng = np.random.default_rng(0)
    centres = rng.normal(0, 3, (clusters, p))
    group = rng.integers(clusters, size=n)
    records = centres[group] + rng.standard_normal((n, p))
    start = np.eye(clusters)[np.where(rng.random(n) < 0.3, rng.integers(clusters, size=n), group)]

    begun = time.perf_counter()
    ours = mixture.fit(records, model, start, tolerance=0.0, iterations=ITERATIONS)
    our_time = time.perf_counter() - begun

    peer = GaussianMixture(
        clusters, covariance_type=theirs, reg_covar=0.0, tol=0.0, max_iter=ITERATIONS, warm_start=True
    )
    peer._initialize(records, start)  # scikit-learn's own start: one M step from the shares
    peer.converged_, peer.lower_bound_ = False, -np.inf
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer.fit(records)
    their_time = time.perf_counter() - begun
    difference = ours.log_likelihood / n - peer.lower_bound_
    print(
        f"{n:>6} × {p} {clusters} clusters {model}: ours {our_time:6.3f} s, scikit-learn {their_time:6.3f} s, "
        f"ratio {their_time / our_time:4.1f}; log-likelihood a record differs by {difference:.1e}"
    )


if __name__ == "__main__":
    for model, theirs in (("VVV", "full"), ("EEE", "tied"), ("VVI", "diag")):
        compare(1947, 5, 6, model, theirs)
        compare(19_502, 3, 9, model, theirs)
