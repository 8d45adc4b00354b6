# The front door: loads and checks the config, includes the rules, names the targets.
from snakemake.utils import min_version

min_version("9.0")


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/cells.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/multiverse.smk"
include: "workflow/rules/scorecard.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/releases.smk"
include: "workflow/rules/crate.smk"


rule all:
    default_target: True
    input:
        PLAN.files,


onsuccess:
    print(last_lines())
