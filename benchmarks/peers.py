"""What sdclab is compared with: for every contest the data, our side, the peer's side, and what must agree.

Both sides get the same data, do the same number of iterations where a result is iterated, and run on one thread. A
peer is imported only by its own side, so that one that is not installed is absent and no error.
"""

import ctypes
import logging
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sdclab.clustering import mixture
from sdclab.clustering.fcm import augment, fcm, memberships, random_records, squared_distances
from sdclab.measures import measure
from sdclab.measures.prl import matching_weights
from sdclab.methods import mdav, protect
from sdclab.numerics.linalg import orthonormal_basis, standardised, with_intercept

Data = dict[str, Any]
Size = Mapping[str, int]
K = 3
BINS = 10
FCM_ITERATIONS = 100
EM_ITERATIONS = 50


@dataclass(frozen=True)
class Contest:
    """`ours` and `theirs` are timed; `result` turns what they return into the numbers that are compared."""

    peer: str
    needs: str
    """The module, or with a colon the program, that the peer is."""
    sizes: tuple[Size, ...]
    data: Callable[[Size], Data]
    ours: Callable[[Data], Any]
    theirs: Callable[[Data], Any]
    compared: str
    result: Callable[[Data, Any], Any] = lambda data, made: made
    repeats: int = 3
    """How often a quick call is made; once, where what was computed is remembered."""


def groups(size: Size) -> Data:
    """Records round a few centres."""
    rng = np.random.default_rng(0)
    n, p, c = size["n"], size["p"], size.get("c", 5)
    label = rng.integers(c, size=n)
    records = rng.normal(0, 3, (c, p))[label] + rng.standard_normal((n, p))
    return {"records": records, "label": label, "rng": rng, **size}


def masked(size: Size) -> Data:
    """Records and what is left of them under noise."""
    data = groups(size)
    data["released"] = data["records"] + 0.1 * data["rng"].standard_normal(data["records"].shape)
    return data


# fuzzy c-means ------------------------------------------------------------------------------------------------------


def fcm_data(size: Size) -> Data:
    data = groups(size)
    draws = [random_records(data["records"], size["c"], data["rng"]) + 1e-3 for _ in range(size["restarts"])]
    return {**data, "starts": np.stack(draws)}


def fcm_ours(data: Data) -> float:
    options = {"epsilon": 0.0, "max_iterations": FCM_ITERATIONS}
    return min(found.objective for found in fcm(data["records"], data["starts"], data["rng"], **options))


def fcm_theirs(data: Data) -> float:
    from skfuzzy.cluster import cmeans

    records, c = data["records"], data["c"]
    first = [memberships(squared_distances(augment(records), start[None]), 1.5)[0] for start in data["starts"]]
    return min(cmeans(records.T, c, 1.5, error=0.0, maxiter=FCM_ITERATIONS, init=u)[4][-1] for u in first)


# microaggregation ---------------------------------------------------------------------------------------------------


def mdav_ours(data: Data) -> np.ndarray:
    labels = np.empty(data["n"], dtype=np.int32)
    for number, members in enumerate(mdav.clusters(data["records"], K)):
        labels[members] = number
    return labels


def mdav_theirs(data: Data) -> np.ndarray:
    points, labels = np.ascontiguousarray(standardised(data["records"])), np.empty(data["n"], dtype=np.int32)
    address = (array.ctypes.data_as(ctypes.c_void_p) for array in (points, labels))
    data["compiled"].mdav(next(address), *points.shape, K, next(address))
    return labels


def mdav_data(size: Size) -> Data:
    data = groups(size)
    compiler = shutil.which("cc")
    if compiler:
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder, "mdav.so")
            source = Path(__file__).with_name("mdav.c")
            subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
            data["compiled"] = ctypes.CDLL(str(library))
    return data


# EM for Gaussian mixtures -------------------------------------------------------------------------------------------


def em_data(size: Size) -> Data:
    data = groups(size)
    moved = data["rng"].random(size["n"]) < 0.3
    label = np.where(moved, data["rng"].integers(size["c"], size=size["n"]), data["label"])
    return {**data, "start": np.eye(size["c"])[label]}


def em_ours(data: Data) -> float:
    found = mixture.fit(data["records"], "VVV", data["start"], tolerance=0.0, iterations=EM_ITERATIONS)
    return found.log_likelihood / data["n"]


def em_theirs(data: Data) -> float:
    from sklearn.mixture import GaussianMixture

    options = {"covariance_type": "full", "reg_covar": 0.0, "tol": 0.0, "max_iter": EM_ITERATIONS, "warm_start": True}
    peer = GaussianMixture(data["c"], **options)
    peer._initialize(data["records"], data["start"])  # scikit-learn's own start: one M step from the shares
    peer.converged_, peer.lower_bound_ = False, -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged
        peer.fit(data["records"])
    return peer.lower_bound_


# record linkage -----------------------------------------------------------------------------------------------------


def pairs_data(size: Size) -> Data:
    """All pairs of two files, and on which attributes they agree."""
    data = masked(size)
    known, released = (_bins(data[name]) for name in ("records", "released"))
    return {**data, "agree": (known[:, None] == released[None]).reshape(-1, size["p"]).astype(int)}


def _bins(x: np.ndarray) -> np.ndarray:
    low, high = x.min(axis=0), x.max(axis=0)
    return np.minimum((x - low) / (high - low) * BINS, BINS - 1).astype(int)


def patterns(data: Data) -> np.ndarray:
    return data["agree"] @ (1 << np.arange(data["p"]))


def pairs_ours(data: Data) -> np.ndarray:
    return matching_weights(np.bincount(patterns(data), minlength=1 << data["p"]).astype(float), data["n"])


def pairs_theirs(data: Data) -> np.ndarray:
    import pandas as pd
    from recordlinkage import ECMClassifier

    peer = ECMClassifier(init="jaro")
    peer.fit(pd.DataFrame(data["agree"], index=pd.MultiIndex.from_product([range(data["n"])] * 2)))
    m, u = (np.array(list(found.values()))[:, 1] for found in (_binary(peer.m_probs), _binary(peer.u_probs)))
    agrees = np.arange(1 << data["p"])[:, None] >> np.arange(data["p"]) & 1
    return agrees @ np.log(m / u) + (1 - agrees) @ np.log((1 - m) / (1 - u))


def _binary(probabilities: Mapping[Any, Mapping[int, float]]) -> dict[Any, tuple[float, float]]:
    return {name: (values[0], values[1]) for name, values in probabilities.items()}


def pairs_linked(data: Data, weights: np.ndarray) -> float:
    """The share of records whose true mate has the greatest weight, a tie of t counting 1/t."""
    of_pairs = weights[patterns(data)].reshape(data["n"], data["n"])
    best = of_pairs.max(axis=1)
    return float(np.mean((of_pairs.diagonal() == best) / (of_pairs == best[:, None]).sum(axis=1)))


def dbrl_ours(data: Data) -> float:
    return measure("dbrl", data["records"], data["released"], data["records"][:, :0])["dbrl"]


def dbrl_theirs(data: Data) -> float:
    from sklearn.neighbors import NearestNeighbors

    known, released = standardised(data["records"]), standardised(data["released"])
    mates, shares = np.arange(data["n"]), []
    for k in range(1, min(7, data["p"]) + 1):
        nearest = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(released[:, :k])
        shares.append(100 * np.mean(nearest.kneighbors(known[:, :k], return_distance=False)[:, 0] == mates))
    return float(np.mean(shares))


# propensity and synthesis -------------------------------------------------------------------------------------------


def propensity_ours(data: Data) -> float:
    made = measure("propensity", data["records"], data["released"], data["records"][:, :0], {"models": ["cubic"]})
    return made["propensity_cubic"]


def propensity_theirs(data: Data) -> float:
    from sklearn.preprocessing import PolynomialFeatures
    from statsmodels.api import Logit

    stacked = np.vstack([data["records"], data["released"]])
    terms = PolynomialFeatures(3, include_bias=False).fit_transform(standardised(stacked))
    basis = with_intercept(orthonormal_basis(terms - terms.mean(axis=0)) * np.sqrt(len(stacked)))
    p = Logit(np.repeat([0, 1], data["n"]), basis).fit(disp=False).predict()
    return float(np.sum((p - 0.5) ** 2))


def released(data: Data, method: str, parameters: Mapping[str, object] = {}) -> np.ndarray:
    return protect(method, data["records"], data["records"][:, :0], data["rng"], parameters)


def synthetic_theirs(data: Data) -> np.ndarray:
    import pandas as pd
    from synthpop import CARTMethod

    logging.disable()
    table = pd.DataFrame(data["records"], columns=[f"x{j}" for j in range(data["p"])])
    np.random.seed(0)  # noqa: NPY002 - the peer draws from the global stream
    peer = CARTMethod(dict.fromkeys(table, "numerical"), random_state=0)
    peer.fit(table)
    return peer.sample(data["n"]).to_numpy(dtype=float)


def pmse(data: Data, made: np.ndarray) -> float:
    """The mean of (p - 1/2)² under the cubic model, over both files."""
    found = measure("propensity", data["records"], made, made[:, :0], {"models": ["cubic"]})
    return found["propensity_cubic"] / (2 * data["n"])


SYNTHESISED = ({"n": 1947, "p": 5}, {"n": 20_000, "p": 3})

CONTESTS = {
    "fcm": Contest(
        "scikit-fuzzy",
        "skfuzzy",
        ({"n": 1080, "p": 13, "c": 10, "restarts": 20}, {"n": 20_000, "p": 3, "c": 50, "restarts": 2}),
        fcm_data,
        fcm_ours,
        fcm_theirs,
        "best objective",
    ),
    "mdav": Contest(
        "plain C",
        ":cc",
        ({"n": 1080, "p": 13}, {"n": 20_000, "p": 3}, {"n": 100_000, "p": 3}),
        mdav_data,
        mdav_ours,
        mdav_theirs,
        "cluster of every record",
    ),
    "em": Contest(
        "scikit-learn",
        "sklearn",
        ({"n": 1947, "p": 5, "c": 6}, {"n": 20_000, "p": 3, "c": 9}),
        em_data,
        em_ours,
        em_theirs,
        "log-likelihood a record",
    ),
    "fellegi-sunter": Contest(
        "recordlinkage",
        "recordlinkage",
        ({"n": 1080, "p": 13},),
        pairs_data,
        pairs_ours,
        pairs_theirs,
        "share of links found",
        pairs_linked,
    ),
    "dbrl": Contest(
        "scikit-learn brute force",
        "sklearn",
        ({"n": 1080, "p": 13}, {"n": 20_000, "p": 3}),
        masked,
        dbrl_ours,
        dbrl_theirs,
        "per cent linked",
    ),
    "propensity": Contest(
        "statsmodels Logit",
        "statsmodels",
        ({"n": 1947, "p": 5}, {"n": 20_000, "p": 3}),
        masked,
        propensity_ours,
        propensity_theirs,
        "sum of (p - 1/2)²",
    ),
    "synthetic": Contest(
        "python-synthpop CART",
        "synthpop",
        SYNTHESISED,
        groups,
        partial(released, method="synthetic"),
        synthetic_theirs,
        "pMSE of either",
        pmse,
    ),
    "hybrid": Contest(
        "python-synthpop CART",
        "synthpop",
        SYNTHESISED,
        groups,
        partial(released, method="hybrid", parameters={"k": 60}),
        synthetic_theirs,
        "pMSE of either",
        pmse,
        repeats=1,
    ),
}
