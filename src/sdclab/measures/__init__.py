"""Measures compare original and protected records.

Every measure is a function `measure(original, protected, independent, *, options...)` in a file of its own:
`original` and `protected` hold the dependents before and after, `independent` the attributes released unchanged. It
returns a small mapping of named numbers. To add one: write the file, add its line here, name it in a study's
config.
"""

from collections.abc import Mapping

from sdclab.base.errors import SdclabError
from sdclab.base.registry import Registry, check_numbers
from sdclab.numerics.arrays import Matrix

MEASURES = Registry(
    "measure",
    __name__,
    "measure",
    {
        "clusters": "clusters",
        "copy": "copy",
        "dbrl": "dbrl",
        "dr": "dr",
        "information_loss": "information_loss",
        "intact": "intact",
        "interval": "interval",
        "moments": "moments",
        "pil": "pil",
        "prl": "prl",
        "propensity": "propensity",
        "regression": "regression",
        "score": "score",
        "xy": "xy",
    },
)


def measure(
    name: str,
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    options: Mapping[str, object] = {},
) -> dict[str, float]:
    """The numbers of one measure by its name and options."""
    if original.shape != protected.shape:
        raise SdclabError(
            f"measure {name}: the original has {original.shape[0]} records of {original.shape[1]} attributes, "
            f"the protected file {protected.shape[0]} of {protected.shape[1]}; they must agree."
        )
    checked = MEASURES.checked(name, options)
    files = (each.copy("K") for each in (original, protected, independent))  # it may write into them
    result = MEASURES.called(name, *files, **checked)
    check_numbers(result, f"measure {name}: what it returned")
    return dict(result)
