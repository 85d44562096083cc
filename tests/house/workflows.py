# SPDX-License-Identifier: Apache-2.0
"""Workflows and templates of .github are valid: python3 workflows.py SOURCE_DIR. The rules are those of actionlint: known keys, runners and
contexts, values of a matrix that exist, actions of a fixed version, scripts of correct syntax. Exit status 77 without PyYAML."""
from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    import yaml
except ImportError:
    print("PyYAML is not installed (Debian: python3-yaml)")
    sys.exit(77)

WORKFLOW = {"name", "run-name", "on", "permissions", "env", "defaults", "concurrency", "jobs"}
JOB = {"name", "needs", "if", "runs-on", "container", "services", "strategy", "timeout-minutes", "defaults", "env", "steps", "permissions",
       "continue-on-error", "outputs", "concurrency", "environment"}  # fmt: skip
STEP = {"id", "name", "if", "uses", "with", "run", "shell", "env", "working-directory", "timeout-minutes", "continue-on-error"}
EVENTS = {"push", "pull_request", "schedule", "workflow_dispatch", "workflow_call", "release"}
CONTEXTS = {"github", "matrix", "runner", "env", "steps", "needs", "strategy", "job", "secrets", "inputs", "vars"}
RUNNERS = re.compile(r"^(ubuntu-(latest|\d\d\.04)(-arm)?|macos-(latest|\d\d)(-large)?|windows-(latest|20\d\d|11-arm))$")
found: list[str] = []


def bad(where: str, what: str) -> None:
    found.append(f"{where}: {what}")


def check_keys(where: str, given: dict[Any, Any], known: set[str], needed: set[str]) -> None:
    for key in set(map(str, given)) - known:
        bad(where, f"unknown key: {key}")
    for key in needed - set(map(str, given)):
        bad(where, f"no {key}")


def matrix_rows(job: dict[str, Any]) -> list[dict[str, Any]]:
    matrix = (job.get("strategy") or {}).get("matrix") or {}
    rows = list(matrix.get("include") or [])
    return rows or [{key: value[0] for key, value in matrix.items() if key not in ("include", "exclude")}]


def check_expressions(where: str, node: Any, rows: list[dict[str, Any]]) -> None:
    """Every ${{ }} is closed, its contexts are known, and each row of the matrix has the values that it uses."""
    text = yaml.safe_dump(node, width=10**6)
    if text.count("${{") != len(re.findall(r"\$\{\{[^{}]*(?:\{\d\}[^{}]*)?\}\}", text)):
        bad(where, "an expression is not closed")
    for inside in re.findall(r"\$\{\{(.*?)\}\}", text):
        words = re.sub(r"'[^']*'", "", inside)
        for context, key in re.findall(r"\b([a-z]+)\.([a-z_-]+)", words):
            if context not in CONTEXTS:
                bad(where, f"unknown context: {context}")
            if context == "matrix" and any(key not in row for row in rows):
                bad(where, f"a row of the matrix has no {key}")


def check_step(where: str, step: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    check_keys(where, step, STEP, set())
    if ("run" in step) == ("uses" in step):
        bad(where, "a step has either run or uses")
    if "uses" in step and not re.search(r"^[\w./-]+@(v\d[\w.]*|[0-9a-f]{40})$", str(step["uses"])):
        bad(where, f"no fixed version: {step['uses']}")
    for row in rows:
        script = re.sub(r"\$\{\{\s*matrix\.([\w-]+)\s*\}\}", lambda m, row=row: str(row.get(m[1], "")), str(step.get("run", "")))
        script = re.sub(r"\$\{\{.*?\}\}", "value", script)
        done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
        if done.returncode != 0:
            bad(where, f"the script is not correct: {done.stderr.strip()}")


def check_job(where: str, job: dict[str, Any], jobs: dict[str, Any]) -> None:
    check_keys(where, job, JOB, {"runs-on", "steps", "timeout-minutes"})
    rows = matrix_rows(job)
    check_expressions(where, job, rows)
    for other in [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs") or []:
        if other not in jobs:
            bad(where, f"needs a job that is not there: {other}")
    for row in rows:
        runner = re.sub(r"\$\{\{\s*matrix\.([\w-]+)\s*\}\}", lambda m, row=row: str(row.get(m[1], "")), str(job.get("runs-on")))
        if not RUNNERS.match(runner):
            bad(where, f"unknown runner: {runner}")
    for number, step in enumerate(job.get("steps") or []):
        check_step(f"{where}, step {number + 1}", step, rows)


def check_workflow(path: Path, text: dict[Any, Any]) -> None:
    # YAML 1.1 reads the key `on` as true.
    text = {"on" if key is True else key: value for key, value in text.items()}
    check_keys(path.name, text, WORKFLOW, {"name", "on", "jobs", "permissions"})
    for event in text.get("on") or {}:
        if event not in EVENTS:
            bad(path.name, f"unknown event: {event}")
    for name, job in (text.get("jobs") or {}).items():
        check_job(f"{path.name}, job {name}", job, text["jobs"])


def check_template(path: Path, text: dict[str, Any]) -> None:
    check_keys(path.name, text, {"name", "description", "title", "labels", "body"}, {"name", "description", "body"})
    for part in text.get("body") or []:
        if part.get("type") not in ("markdown", "textarea", "input", "dropdown", "checkboxes"):
            bad(path.name, f"unknown part: {part.get('type')}")
        if part.get("type") != "markdown" and not (part.get("id") and part.get("attributes", {}).get("label")):
            bad(path.name, "a part has no id or label")


def main() -> int:
    top = Path(sys.argv[1]) / ".github"
    checks = [(check_workflow, path) for path in sorted(top.glob("workflows/*.yml"))]
    if not checks:
        bad(str(top), "no workflow")
    checks += [(check_template, path) for path in sorted(top.glob("ISSUE_TEMPLATE/*.yml")) if path.name != "config.yml"]
    for check, path in checks:
        try:
            check(path, yaml.safe_load(path.read_text()) or {})
        except yaml.YAMLError as error:
            bad(path.name, str(error))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
