"""From tables to figures.

Every plot is a function `draw(tables, split, *, title, options...)` in a file of its own: `tables` are side-by-side
tables by name, `split` the dependents and independents of the figure's scenario if it names one. It returns a
matplotlib figure. A plot is found by its presence, and every option says what it means beside its type.

A plot in which a dot is a record declares `DRAWS_RECORDS = True`: of data that somebody owns it is for the owner alone,
and on no page.
"""

from sdclab.base.registry import Registry

PLOTS = Registry("plot", __name__, "draw")
