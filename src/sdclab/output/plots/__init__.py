"""From tables to figures.

Every plot is a function `draw(tables, split, *, title, options...)` in a file of its own: `tables` are side-by-side
tables by name, `split` the dependents and independents of the figure's scenario if it names one. It returns a
matplotlib figure. If a dot in it is a record, its module says `DRAWS_RECORDS = True`: of data that somebody owns such a
figure is for the owner alone, and on no page.
"""

from sdclab.base.registry import Registry

PLOTS = Registry(
    "plot",
    __name__,
    "draw",
    {
        "against_c": "against_c",
        "against_noise": "against_noise",
        "by_method": "by_method",
        "choices": "choices",
        "loss_against_k": "loss_against_k",
        "pairs": "pairs",
        "regression_lines": "regression_lines",
        "relation": "relation",
        "restarts": "restarts",
        "ru_map": "ru_map",
        "surface": "surface",
        "utility_against_k": "utility_against_k",
    },
)
