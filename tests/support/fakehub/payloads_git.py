"""REST's JSON objects of commits, comparisons, files, refs, rules and checks."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

from tests.support.fakehub.checks import Annotation, CheckRun, CommitStatus, app_id
from tests.support.fakehub.fields_git import CompareThing, RuleThing, rules_of
from tests.support.fakehub.payloads import WEB, Json, user
from tests.support.fakehub.repository import Repository

CHANGES = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}


def _date(signature: Any) -> Json:
    date = datetime.fromtimestamp(signature.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"name": signature.name, "email": signature.email, "date": date}


def commit(base: str, repo: Repository, sha: str) -> Json:
    """A commit."""
    url, page = f"{base}/repos/{repo.name}", f"{WEB}/{repo.name}"
    real = repo.side.real(sha)
    tree = str(real.tree_id)
    people = [repo.hub.users.get(who.name.lower()) for who in (real.author, real.committer)]
    return {
        "url": f"{url}/commits/{sha}",
        "sha": sha,
        "node_id": f"C_{repo.node_id}:{sha}",
        "html_url": f"{page}/commit/{sha}",
        "comments_url": f"{url}/commits/{sha}/comments",
        "commit": {
            "url": f"{url}/git/commits/{sha}",
            "author": _date(real.author),
            "committer": _date(real.committer),
            "message": real.message,
            "comment_count": 0,
            "tree": {"sha": tree, "url": f"{url}/git/trees/{tree}"},
        },
        "author": user(base, people[0]),
        "committer": user(base, people[1]),
        "parents": [
            {"sha": str(one), "url": f"{url}/commits/{one}", "html_url": f"{page}/commit/{one}"}
            for one in real.parent_ids
        ],
    }


def comparison(base: str, one: CompareThing, spec: str, commits: list[str], first_page: bool) -> Json:
    """A comparison, with one page of its commits; the files come with the first page alone."""
    repo = one.repo
    page = f"{WEB}/{repo.name}/compare/{spec}"
    owner = repo.owner.login
    shown = {
        "url": f"{base}/repos/{repo.name}/compare/{spec}",
        "html_url": page,
        "permalink_url": f"{WEB}/{repo.name}/compare/{owner}:{one.base[:7]}...{owner}:{one.head[:7]}",
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": commit(base, repo, one.base),
        "merge_base_commit": commit(base, repo, one.found.merge_base),
        "status": one.found.status,
        "ahead_by": one.found.ahead,
        "behind_by": one.found.behind,
        "total_commits": one.found.ahead,
        "commits": [commit(base, repo, sha) for sha in commits],
    }
    if first_page:
        shown["files"] = changed_files(base, repo, one.base, one.head)[:300]
    return shown


def changed_files(base: str, repo: Repository, old: str, new: str) -> list[Json]:
    """The files that `new` changed since its merge base with `old`."""
    url = f"{base}/repos/{repo.name}"
    found = []
    for letter, path, added, removed in repo.side.changed(old, new):
        blob = repo.side.find(f"{new}:{path}")
        found.append(
            {
                "sha": str(blob.id) if blob is not None else None,
                "filename": path,
                "status": CHANGES.get(letter, "changed"),
                "additions": added,
                "deletions": removed,
                "changes": added + removed,
                "blob_url": f"{WEB}/{repo.name}/blob/{new}/{path}",
                "raw_url": f"{WEB}/{repo.name}/raw/{new}/{path}",
                "contents_url": f"{url}/contents/{path}?ref={new}",
            }
        )
    return found


def content(base: str, repo: Repository, path: str, ref: str, thing: Any, whole: bool = True) -> Json:
    """A file (with its text if `whole`) or a directory's entry."""
    sha, kind = str(thing.id), "dir" if thing.type_str == "tree" else "file"
    url = f"{base}/repos/{repo.name}"
    here = f"{url}/contents/{path}?ref={ref}"
    git = f"{url}/git/{'trees' if kind == 'dir' else 'blobs'}/{sha}"
    page = f"{WEB}/{repo.name}/{'tree' if kind == 'dir' else 'blob'}/{ref}/{path}"
    shown = {
        "type": kind,
        "size": thing.size if kind == "file" else 0,
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": sha,
        "url": here,
        "git_url": git,
        "html_url": page,
        "download_url": f"https://raw.githubusercontent.com/{repo.name}/{ref}/{path}" if kind == "file" else None,
        "_links": {"self": here, "git": git, "html": page},
    }
    if whole:
        large = thing.size > 1_000_000
        shown["encoding"] = "none" if large else "base64"
        shown["content"] = "" if large else base64.encodebytes(thing.data).decode()
    return shown


def git_ref(base: str, repo: Repository, name: str, sha: str) -> Json:
    """A ref."""
    url = f"{base}/repos/{repo.name}/git"
    return {
        "ref": name,
        "node_id": f"REF_{repo.node_id}:{name}",
        "url": f"{url}/{name}",
        "object": {"type": "commit", "sha": sha, "url": f"{url}/commits/{sha}"},
    }


def branch(base: str, repo: Repository, name: str, sha: str) -> Json:
    """A branch."""
    url = f"{base}/repos/{repo.name}/commits/{sha}"
    return {"name": name, "commit": {"sha": sha, "url": url}, "protected": repo.rules(name).any}


def rules(repo: Repository, name: str) -> list[Json]:
    """The rules of rulesets about a branch."""
    return [_rule(rule) for rule in rules_of(repo, name)]


def _rule(rule: RuleThing) -> Json:
    parameters = {}
    for key, value in rule.parameters.items():
        if key == "__typename":
            continue
        if key == "requiredStatusChecks":
            value = [{"context": one["context"]} for one in value]
        if key == "allowedMergeMethods":
            value = [one.lower() for one in value]
        snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
        parameters["merge_method" if snake == "merge_method" else snake] = value
    return {
        "type": rule.type.lower(),
        "ruleset_source_type": "Repository",
        "ruleset_source": rule.repo.name,
        "ruleset_id": 1,
        "parameters": parameters,
    }


def _app(base: str, repo: Repository, slug: str | None) -> Json | None:
    if slug is None:
        return None
    return {
        "id": app_id(slug),
        "slug": slug,
        "node_id": f"A_{slug}",
        "owner": user(base, repo.owner),
        "name": slug,
        "description": "",
        "external_url": f"{WEB}/apps/{slug}",
        "html_url": f"{WEB}/apps/{slug}",
        "created_at": repo.created_at,
        "updated_at": repo.created_at,
        "permissions": {"checks": "write"},
        "events": [],
    }


def check_run(base: str, run: CheckRun) -> Json:
    """A check run."""
    url = f"{base}/repos/{run.repo.name}/check-runs/{run.id}"
    return {
        "id": run.id,
        "head_sha": run.head_sha,
        "node_id": run.node_id,
        "external_id": "",
        "url": url,
        "html_url": f"{WEB}/{run.repo.name}/runs/{run.id}",
        "details_url": run.details_url,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": run.started_at,
        "completed_at": run.completed_at,
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": len(run.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "name": run.name,
        "check_suite": {"id": run.suite.id},
        "app": _app(base, run.repo, run.suite.app),
        "pull_requests": [],
    }


def annotation(run: CheckRun, note: Annotation) -> Json:
    """A remark of a check run."""
    return {
        "path": note.path,
        "start_line": note.line,
        "end_line": note.end_line or note.line,
        "start_column": None,
        "end_column": None,
        "annotation_level": note.level,
        "title": note.title,
        "message": note.message,
        "raw_details": note.raw_details,
        "blob_href": f"{WEB}/{run.repo.name}/blob/{run.head_sha}/{note.path}",
    }


def job(base: str, run: CheckRun) -> Json:
    """The Actions job of a check run: it has the same id."""
    repo = f"{base}/repos/{run.repo.name}"
    suite = run.suite
    return {
        "id": run.id,
        "run_id": suite.run_id,
        "run_url": f"{repo}/actions/runs/{suite.run_id}",
        "run_attempt": 1,
        "node_id": run.node_id,
        "head_sha": run.head_sha,
        "url": f"{repo}/actions/jobs/{run.id}",
        "html_url": run.details_url,
        "status": run.status,
        "conclusion": run.conclusion,
        "created_at": suite.created_at,
        "started_at": run.started_at or suite.created_at,
        "completed_at": run.completed_at,
        "name": run.name,
        "steps": [
            {
                "name": step.name,
                "status": step.status,
                "conclusion": step.conclusion,
                "number": number,
                "started_at": run.started_at,
                "completed_at": run.completed_at,
            }
            for number, step in enumerate(run.steps, 1)
        ],
        "check_run_url": f"{repo}/check-runs/{run.id}",
        "labels": ["ubuntu-latest"],
        "runner_id": 1,
        "runner_name": "GitHub Actions 1",
        "runner_group_id": 1,
        "runner_group_name": "GitHub Actions",
        "workflow_name": suite.workflow,
        "head_branch": suite.branch,
    }


def status(base: str, one: CommitStatus) -> Json:
    """A commit status."""
    return {
        "url": f"{base}/repos/{one.repo.name}/statuses/{one.sha}",
        "avatar_url": None,
        "id": one.id,
        "node_id": one.node_id,
        "state": one.state,
        "description": one.description,
        "target_url": one.target_url,
        "context": one.context,
        "created_at": one.created_at,
        "updated_at": one.created_at,
        "creator": user(base, one.creator),
    }
