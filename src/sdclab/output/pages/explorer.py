"""The explorer: fuzzy c-regression in the plane, the heir of the thesis' FCR_GUI (Cano 2009, appendix A.2)."""

from string import Template

from sdclab.output.pages.marks import as_script
from sdclab.output.pages.markup import asset, policy


def explorer() -> str:
    """The whole page."""
    script = as_script() + asset("fcrm.js") + asset("explorer.js")
    style = asset("style.css")
    return Template(asset("explorer.html")).substitute(policy=policy(style, script), style=style, script=script)
