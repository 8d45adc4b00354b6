"""Fuzzy c-means against scikit-fuzzy: the same starts, the same stopping rule, one thread, one run.

    python benchmarks/fcm.py

scikit-fuzzy stops when the Frobenius norm of the change of all memberships falls below its `error`; here both are
given the number of iterations that it then needed, so that both do the same work.
"""

import os
import resource
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy is imported

import numpy as np  # noqa: E402
import skfuzzy  # noqa: E402

from sdclab.clustering.fcm import augment, fcm, memberships, random_records, squared_distances  # noqa: E402

ERROR = 1e-4


def compare(n: int, p: int, c: int, restarts: int, most_iterations: int) -> None:
    rng = np.random.default_rng(0)
    centres = rng.normal(0, 2, (c, p))
    records = centres[rng.integers(c, size=n)] + rng.standard_normal((n, p))
    starts = np.stack([random_records(records, c, rng) + 1e-3 for _ in range(restarts)])
    first = [memberships(squared_distances(augment(records), start[None]), 1.5)[0] for start in starts]

    begun = time.perf_counter()
    theirs, iterations = [], []
    for u in first:
        _, _, _, _, objective, count, _ = skfuzzy.cluster.cmeans(
            records.T, c, 1.5, error=ERROR, maxiter=most_iterations, init=u.copy()
        )
        theirs.append(objective[-1])
        iterations.append(count)
    their_time = time.perf_counter() - begun

    begun = time.perf_counter()
    ours = fcm(records, starts, rng, epsilon=ERROR / np.sqrt(n * c), most_iterations=max(iterations))
    our_time = time.perf_counter() - begun
    best = min(p.objective for p in ours), min(theirs)
    work = sum(p.iterations for p in ours) / sum(iterations)
    print(
        f"{n:>6} × {p:<2} c={c:<3} {restarts:>2} restarts: ours {our_time:6.2f} s, scikit-fuzzy {their_time:6.2f} s, "
        f"ratio {their_time / our_time:4.1f}; iterations ours/theirs {work:.2f}; "
        f"best objective {best[0]:.4f} and {best[1]:.4f}; peak memory {_peak():.0f} MB"
    )


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    compare(1080, 13, 10, restarts=20, most_iterations=300)
    compare(20_000, 3, 50, restarts=3, most_iterations=60)
