"""What would be noticed after all the work, if tables were not held beside what was published before it."""

import pytest
import yaml
from conftest import PROJECT, SCHEMAS

from sdclab.base import documents
from sdclab.base.errors import SdclabError
from sdclab.evidence.fit import check
from sdclab.experiment.study import load
from sdclab.output.plots import PLOTS

PUBLISHED, SCHEMA = PROJECT / "resources/published", SCHEMAS / "published.schema.yaml"
NAMES = documents.parse(PROJECT / "config/config.yaml")["studies"]


def checked(entries, path):
    check([load(path, SCHEMAS / "study.schema.yaml", entries, PLOTS)], PUBLISHED, SCHEMA)


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_studies_fit(entries, name):
    checked(entries, PROJECT / f"config/studies/{name}.yaml")


def panel(**changes):
    return lambda t: t["tables"]["table3"]["panels"][0].update(changes)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            lambda t: t["tables"]["table2"].update(published="torra_endo_miyamoto_2009_table9"),
            "tables.table2: unknown published table 'torra_endo_miyamoto_2009_table9': did you mean torra_endo",
        ),
        (lambda t: t["tables"]["table2"].update(keys=["run", "label"]), "table2: unknown column 'label'"),
        (
            lambda t: t["table_defaults"].update(quantities=["objectiv", "d1"]),
            "unknown column 'objectiv': did you mean",
        ),
        (panel(fixed={"clusters": 11}), "tables.table3: 12 rows of torra_endo_miyamoto_2009_table3 stand in none of"),
        (lambda t: t["judgements"].pop(1), "tables.table1: no judgement covers objective of kappa_original=0.0"),
    ],
)
def test_a_slip_is_noticed_before_the_first_job(entries, tmp_path, edit, message):
    text = yaml.safe_load((PROJECT / "config/studies/torra_endo_miyamoto_2009.yaml").read_text())
    del text["multiverses"]  # they would notice some slips even earlier
    edit(text)
    path = tmp_path / "torra_endo_miyamoto_2009.yaml"
    path.write_text(yaml.safe_dump(text))
    with pytest.raises(SdclabError, match=message):
        checked(entries, path)


def test_rows_that_nobody_asks_for_may_be_left_out(entries, tmp_path):
    text = yaml.safe_load((PROJECT / "config/studies/torra_endo_miyamoto_2009.yaml").read_text())
    text["tables"]["table3"]["panels"] = [{"scenario": "v2c10", "fixed": {}, "rows": {"clusters": 10}}]
    text["tables"]["table3"]["keys"] = ["noise_label"]
    path = tmp_path / "torra_endo_miyamoto_2009.yaml"
    path.write_text(yaml.safe_dump(text))
    checked(entries, path)
