"""Snakemake with a SLURM executor that asks every second how its jobs are. Its plugin asks more and more seldom while
none ends, ten seconds later each time, which no option changes: the tests would mostly wait for that."""

from snakemake.cli import main
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

RemoteExecutor.next_seconds_between_status_checks = property(lambda self: 1, lambda self, seconds: None)
main()
