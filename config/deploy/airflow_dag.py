"""Runs each coordinator once an hour, and exports its history: for Airflow 3, beside workflow_job.py in the DAG folder.

`run` buys what is due by the schedules of the config, and nothing if nothing is due: Airflow only has to call it often
enough. It runs where the databases are, so use a worker queue of that machine.
"""

from datetime import datetime, timedelta
from pathlib import Path

from airflow.exceptions import AirflowFailException
from airflow.sdk import dag, task

from workflow_job import Stop, rankledger

CONFIGS = sorted(Path("/srv/rankledger").glob("*/rankledger.yaml"))
LAKE = "s3://bucket/ranks"
TABLES = ("rankings", "checks", "volumes", "serps")


def called(*arguments: str) -> dict:
    """Retries what may succeed later; fails at once where a person must act."""
    try:
        return rankledger(*arguments)
    except Stop as stop:
        raise AirflowFailException(str(stop)) from stop


@task(retries=3, retry_delay=timedelta(minutes=10))
def run(config: str) -> dict:
    answer = called("run", "--config", config)
    return {"runs": [one["runId"] for one in answer["runs"]], "partial": answer["partial"]}


# also after a run that failed: what it bought before is recorded
@task(retries=3, retry_delay=timedelta(minutes=10), trigger_rule="all_done")
def export(config: str) -> dict:
    return {table: called("export", "--partitions", LAKE, "--what", table, "--config", config) for table in TABLES}


@dag(schedule="5 * * * *", start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=1)
def rankledger_coordinators():
    for config in CONFIGS:
        name = config.parent.name
        ran = run.override(task_id=f"run_{name}")(str(config))
        ran >> export.override(task_id=f"export_{name}")(str(config))


rankledger_coordinators()
