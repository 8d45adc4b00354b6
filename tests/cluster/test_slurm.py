"""The workflow on a real SLURM: one node, started from the Debian packages for these tests alone."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import HANGING, SMOKE, Tree, wait_until

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "sinfo")
MISSING = [program for program in PROGRAMS if shutil.which(program) is None]
if find_spec("snakemake_executor_plugin_slurm") is None:
    MISSING.append("snakemake-executor-plugin-slurm")
if os.geteuid() != 0:
    MISSING.append("root, who alone may start a node")
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"THE CLUSTER IS NOT TESTED: no {', '.join(MISSING)}")

CONFIG = """
ClusterName=sdclab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=4000 State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""

THINNED = (*SMOKE, "--config", "studies=[ahmed_rauf_2016]", "limits={records: 600}", "mix_methods=false")
HERE = (
    *("--workflow-profile", "workflow/profiles/slurm", "--default-resources", "slurm_partition=test", "mem_mb=500"),
    *("--slurm-no-account", "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "1"),
    *("--seconds-between-status-checks", "1", "--latency-wait", "5"),
)


class Slurm:
    """A cluster of one node with its own key, ports and folders."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.processes = folder, []
        for name in ("state", "spool", "bin"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.config = folder / "slurm.conf"
        values = {"host": socket.gethostname().split(".")[0], "folder": folder, "cpus": os.cpu_count()}
        self.config.write_text(CONFIG.format(ports=[_free_port(), _free_port()], **values))
        # a step of a job forgets where the configuration is
        shim = folder / "bin" / "srun"
        shim.write_text(f'#!/bin/sh\nSLURM_CONF={self.config} exec {shutil.which("srun")} "$@"\n')
        shim.chmod(0o755)
        self.environment = {
            "SLURM_CONF": str(self.config),
            "PATH": f"{shim.parent}:{os.environ['PATH']}",
            "OMP_NUM_THREADS": "1",
        }

    def start(self) -> None:
        munge = [f"--{name}-file={self.folder}/munge.{name}" for name in ("key", "pid", "log", "seed")]
        self._run("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket", *munge)
        wait_until(lambda: (self.folder / "munge.socket").exists(), "munge")
        self._run("slurmctld", "-D", "-f", str(self.config))
        self._run("slurmd", "-D", "-f", str(self.config))
        wait_until(lambda: "idle" in self.ask("sinfo", "--noheader"), "the node")

    def _run(self, *command: str) -> None:
        with (self.folder / f"{command[0]}.out").open("w") as log:
            self.processes.append(subprocess.Popen(command, env=self._environment(), stdout=log, stderr=log))

    def _environment(self) -> dict[str, str]:
        return {**os.environ, **self.environment}

    def ask(self, *command: str) -> str:
        return subprocess.run(command, env=self._environment(), capture_output=True, text=True).stdout

    def running(self) -> list[str]:
        """The numbers of the jobs that run."""
        return self.ask("squeue", "--noheader", "--states=RUNNING", "--format=%i").split()

    def stop(self) -> None:
        self.ask("scancel", "--user=root")
        for process in reversed(self.processes):
            process.terminate()
            process.wait(timeout=HANGING)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def slurm() -> Iterator[Slurm]:
    folder = Path("/tmp") / f"sdclab-slurm-{os.getpid()}"  # a socket's path must be short, and munge trusts no group
    folder.mkdir(mode=0o755)
    cluster = Slurm(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder)


def command(*more: str) -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("asking_often.py")), *THINNED, *HERE, *more]


def submit(tree: Tree, slurm: Slurm) -> subprocess.CompletedProcess[str]:
    environment = tree.environment(**slurm.environment)
    return subprocess.run(command(), cwd=tree.root, env=environment, capture_output=True, text=True, timeout=HANGING)


def test_gives_the_bytes_of_a_local_run_also_after_a_job_was_killed(slurm, tree, tmp_path_factory):
    local = Tree(tmp_path_factory.mktemp("local"))
    assert local.run(*THINNED).returncode == 0
    run = submit(tree, slurm)
    assert run.returncode == 0, run.stderr
    assert tree.results() == local.results()
    # a dataset, four batches of cells, tables with their figures, and all that follows
    assert run.stderr.count("has been submitted with SLURM jobid") == 7

    lost = next((tree.root / "results/smoke/cells").rglob("fdm/*.csv"))
    lost.unlink()
    environment = tree.environment(**slurm.environment)
    interrupted = subprocess.Popen(
        command("--retries", "0"), cwd=tree.root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_until(slurm.running, "the job")
    slurm.ask("scancel", *slurm.running())
    assert interrupted.wait(timeout=HANGING) != 0
    assert not lost.exists()
    rerun = submit(tree, slurm)
    assert rerun.returncode == 0, rerun.stderr
    assert tree.results() == local.results()


def test_a_cell_that_fails_is_named_with_its_log_while_the_others_finish(slurm, tree):
    tree.edit("config/studies/ahmed_rauf_2016.yaml", "{planes: 1-2}", "{planes: 1-99}")
    run = submit(tree, slurm)
    assert run.returncode != 0
    said = run.stdout + run.stderr
    assert "log: results/smoke/logs/cells/ahmed_rauf_2016/adult/rotation/planes=1-99.log" in said
    assert "cell adult/rotation/planes=1-99: method rotation: planes: '1-99' is unknown" in said
    made = {path.parent.name for path in (tree.root / "results/smoke/cells").rglob("*.csv")}
    assert made == {"fdm", "fuzzy_hybrid", "k_member"}
