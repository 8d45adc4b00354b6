"""Stand-ins for data that nobody can ship: documented guesses, for qualitative use only."""

from collections.abc import Callable

import numpy as np

from sdclab.numerics.arrays import Matrix, Vector

NEOPLASM_RECORDS = 19_502


def neoplasm(rng: np.random.Generator) -> Matrix:
    """AGE_YRS, LOS and CHARGE of cancer patients' hospital stays; guesses, not figures of any agency.

    Ages: 96 % normal (62, 14) within 18..100 and 4 % children. Three kinds of stay (45, 45 and 10 %) differ in the
    log-normal length of stay and in how the charge grows with it.
    """
    n = NEOPLASM_RECORDS
    child = rng.random(n) < 0.04
    age = np.where(child, rng.uniform(0, 18, n), _truncated_normal(rng, n, 62, 14, 18, 100))
    stay = rng.choice(3, n, p=[0.45, 0.45, 0.10])
    log_days = np.array([0.95, 1.55, 2.6])[stay] + np.array([0.55, 0.70, 0.60])[stay] * rng.standard_normal(n)
    days = np.maximum(np.round(np.exp(log_days)), 1)
    base = np.array([10.2, 9.6, 9.9])[stay]
    growth = 0.85 * np.array([0.55, 0.95, 0.95])[stay]
    log_charge = base + growth * np.log1p(days) - 0.004 * (age - 60) + 0.55 * rng.standard_normal(n)
    return np.column_stack([np.floor(age), days, np.round(np.exp(log_charge))])


def _truncated_normal(rng: np.random.Generator, n: int, mean: float, spread: float, low: float, high: float) -> Vector:
    values = rng.normal(mean, spread, n)
    while np.any(outside := (values < low) | (values > high)):
        values[outside] = rng.normal(mean, spread, int(outside.sum()))
    return values


EXAMPLE_GROUPS = (
    # x from, x to, intercept, slope, SD of y around the line
    (5.0, 25.0, 60.0, 0.8, 3.0),
    (15.0, 40.0, 25.0, -0.4, 3.0),
    (35.0, 60.0, 30.0, 0.9, 3.0),
    (50.0, 80.0, 110.0, -1.1, 3.0),
    (70.0, 95.0, -20.0, 1.0, 3.0),
)
EXAMPLE_RECORDS_A_GROUP = 30


def example(rng: np.random.Generator) -> Matrix:
    """Five groups of points in the plane, each round a line of its own.

    The example of Cano & Torra (2009), section III.A, was never published; its figures show five separate groups.
    """
    groups = []
    for low, high, intercept, slope, spread in EXAMPLE_GROUPS:
        x = rng.uniform(low, high, EXAMPLE_RECORDS_A_GROUP)
        y = intercept + slope * x + spread * rng.standard_normal(EXAMPLE_RECORDS_A_GROUP)
        groups.append(np.round(np.column_stack([x, y]), 2))
    return np.vstack(groups)


GENERATORS: dict[str, Callable[[np.random.Generator], Matrix]] = {
    "example": example,
    "neoplasm": neoplasm,
}
