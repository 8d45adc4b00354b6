"""sdclab: a laboratory for statistical disclosure control.

    import sdclab

    release = sdclab.protect(frame, "hybrid", k=20, independent=["region"], seed=1)  # release.data, release.facts
    found = sdclab.measure(frame, release.data)  # a DataFrame
    sdclab.check_release(frame, release.data, ["rep_u <= 1", "tables <= 20"])  # a DataFrame: limit, value, passed
    choice = sdclab.map(frame)  # choice.verdict, choice.ranking, choice.figure, choice.page, choice.best("mdav")
    print(sdclab.describe(frame))

Whatever goes wrong is an `SdclabError` of one sentence. What is imported here is loaded when it is used.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sdclab.base.errors import SdclabError as SdclabError
    from sdclab.experiment.comparison import measure as measure
    from sdclab.experiment.gate import check_release as check_release
    from sdclab.experiment.release import protect as protect
    from sdclab.microdata.description import describe_frame as describe
    from sdclab.output.choice import map_frame as map

try:
    __version__ = version("sdclab")
except PackageNotFoundError:  # run from a source tree that was not installed
    __version__ = "0+source"

PUBLIC = {
    "SdclabError": ("base.errors", "SdclabError"),
    "check_release": ("experiment.gate", "check_release"),
    "describe": ("microdata.description", "describe_frame"),
    "map": ("output.choice", "map_frame"),
    "measure": ("experiment.comparison", "measure"),
    "protect": ("experiment.release", "protect"),
}

__all__ = ["SdclabError", "check_release", "describe", "map", "measure", "protect"]


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = PUBLIC[name]
    return getattr(import_module(f"{__name__}.{module}"), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *PUBLIC])
