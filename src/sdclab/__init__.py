"""sdclab: a laboratory for statistical disclosure control."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("sdclab")
except PackageNotFoundError:  # run from a source tree that was not installed
    __version__ = "0+source"
