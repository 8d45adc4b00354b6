"""The explorer: fuzzy c-regression in the plane, the heir of the thesis' FCR_GUI (Cano 2009, appendix A.2)."""

from string import Template

from sdclab.report.marks import as_script
from sdclab.report.markup import asset


def explorer() -> str:
    """The whole page."""
    script = as_script() + asset("fcrm.js") + asset("explorer.js")
    return Template(asset("explorer.html")).substitute(style=asset("style.css"), script=script)
