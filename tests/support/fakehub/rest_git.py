"""REST: refs, branches, commits, comparisons, trees, files and rules, from the real bare repository."""

from __future__ import annotations

import base64
from typing import Any

import pygit2

from tests.support.fakehub import payloads, payloads_git
from tests.support.fakehub.fields_git import comparison_of
from tests.support.fakehub.routes import Call, route
from tests.support.fakehub.web import Answer, Refused, invalid

REPO = "/repos/{owner}/{repo}"
RAW = "application/vnd.github.raw"


def _sha(call: Call, ref: str) -> str:
    commit = call.repo.side.commit_of(ref)
    if commit is None:
        raise Refused(404 if "/" in ref else 422, f"No commit found for SHA: {ref}")
    return str(commit.id)


def _not_empty(call: Call) -> None:
    if not call.repo.side.branches():
        raise Refused(409, "Git Repository is empty.")


@route("GET", f"{REPO}/branches")
def branches(call: Call) -> Any:
    """The branches."""
    side = call.repo.side
    return call.page(
        side.branches(), lambda name: payloads_git.branch(call.base, call.repo, name, side.tip(name) or "")
    )


@route("GET", f"{REPO}/branches/{{path}}")
def branch(call: Call, path: str) -> Any:
    """One branch (or, with /protection after it, its classic protection)."""
    side = call.repo.side
    if path.endswith("/protection") and side.tip(path) is None:
        return _protection(call, path.removesuffix("/protection"))
    tip = side.tip(path)
    if tip is None:
        raise Refused(404, "Branch not found")
    shown = payloads_git.branch(call.base, call.repo, path, tip)
    return {**shown, "commit": payloads_git.commit(call.base, call.repo, tip)}


def _protection(call: Call, branch: str) -> Any:
    rules = call.repo.rules(branch)
    if call.repo.permission != "ADMIN":
        raise Refused(403, "Resource not accessible by personal access token")
    if not rules.classic or not rules.any:
        raise Refused(404, "Branch not protected")
    url = f"{call.base}/repos/{call.repo.name}/branches/{branch}/protection"
    shown: dict[str, Any] = {"url": url}
    if rules.required:
        checks = [{"context": one, "app_id": None} for one in rules.required]
        shown["required_status_checks"] = {"strict": rules.strict, "contexts": list(rules.required), "checks": checks}
    if rules.approvals:
        shown["required_pull_request_reviews"] = {
            "dismiss_stale_reviews": rules.dismiss_stale,
            "require_code_owner_reviews": False,
            "required_approving_review_count": rules.approvals,
        }
    return shown


@route("GET", f"{REPO}/rules/branches/{{path}}")
def rules(call: Call, path: str) -> Any:
    """The active rules of rulesets about a branch."""
    return call.page(payloads_git.rules(call.repo, path), lambda one: one)


@route("GET", f"{REPO}/commits")
def commits(call: Call) -> Any:
    """The history, newest first."""
    _not_empty(call)
    found = call.repo.side.history(_sha(call, call.query.get("sha") or call.repo.default_branch))
    return call.page(found, lambda sha: payloads_git.commit(call.base, call.repo, sha))


@route("GET", f"{REPO}/commits/{{ref}}/pulls")
def pulls_of_commit(call: Call, ref: str) -> Any:
    """The pull requests that brought a commit."""
    sha = _sha(call, ref)
    found = [one for one in call.repo.pulls.values() if sha in one.commits(merged=True)]
    return call.page(found, lambda one: payloads.pull(call.base, one.shown()))


@route("GET", f"{REPO}/compare/{{path}}")
def compare(call: Call, path: str) -> Any:
    """Compare two revisions."""
    base, dots, head = path.partition("...")
    found = comparison_of(call.repo, base.rpartition(":")[2], head) if dots else None
    if found is None:
        raise Refused(404, "Not Found")
    some, headers = call.slice(found.found.commits)
    first = call.query.get("page", "1") == "1"
    return Answer(200, payloads_git.comparison(call.base, found, path, some, first), headers)


@route("GET", f"{REPO}/git/trees/{{path}}")
def tree(call: Call, path: str) -> Any:
    """A tree; with `recursive`, whatever its value, with all that is in it."""
    _not_empty(call)
    side = call.repo.side
    thing = side.find(path)
    if thing is None:
        raise Refused(404, "Not Found")
    top = thing.peel(pygit2.Tree)
    url = f"{call.base}/repos/{call.repo.name}/git"
    entries: list[dict[str, Any]] = []

    def walk(within: Any, prefix: str) -> None:
        for one in within:
            kind = one.type_str
            place = "trees" if kind == "tree" else "blobs"
            entry = {
                "path": f"{prefix}{one.name}",
                "mode": f"{int(one.filemode):06o}",
                "type": kind,
                "sha": str(one.id),
                "url": f"{url}/{place}/{one.id}",
            }
            if kind == "blob":
                entry["size"] = one.size
            entries.append(entry)
            if kind == "tree" and "recursive" in call.query:
                walk(one, f"{prefix}{one.name}/")

    walk(top, "")
    return {"sha": str(top.id), "url": f"{url}/trees/{top.id}", "tree": entries, "truncated": False}


@route("GET", f"{REPO}/git/blobs/{{sha}}")
def blob(call: Call, sha: str) -> Any:
    """A blob."""
    thing = call.repo.side.find(sha)
    if not isinstance(thing, pygit2.Blob):
        raise Refused(404, "Not Found")
    return {
        "sha": sha,
        "node_id": f"B_{sha}",
        "size": thing.size,
        "url": f"{call.base}/repos/{call.repo.name}/git/blobs/{sha}",
        "content": base64.encodebytes(thing.data).decode(),
        "encoding": "base64",
    }


@route("GET", f"{REPO}/contents")
def contents_of_root(call: Call) -> Any:
    """The top directory."""
    return contents(call, "")


@route("GET", f"{REPO}/contents/{{path}}")
def contents(call: Call, path: str) -> Any:
    """A file or a directory."""
    repo, ref = call.repo, call.query.get("ref") or call.repo.default_branch
    if not repo.side.branches():
        raise Refused(404, "This repository is empty.")
    if repo.side.commit_of(ref) is None:
        raise Refused(404, f"No commit found for the ref {ref}")
    path = path.strip("/")
    thing = repo.side.find(f"{ref}:{path}")
    if thing is None:
        raise Refused(404, "Not Found")
    if isinstance(thing, pygit2.Tree):
        prefix = f"{path}/" if path else ""
        return [payloads_git.content(call.base, repo, prefix + (one.name or ""), ref, one, False) for one in thing]
    if RAW in call.asked.headers.get("accept", ""):
        return Answer(200, thing.data, {"Content-Type": f"{RAW}+json; charset=utf-8"})
    return payloads_git.content(call.base, repo, path, ref, thing)


@route("GET", f"{REPO}/git/ref/{{path}}")
def ref(call: Call, path: str) -> Any:
    """One ref."""
    _not_empty(call)
    tip = call.repo.side.tip(f"refs/{path}")
    if tip is None:
        raise Refused(404, "Not Found")
    return payloads_git.git_ref(call.base, call.repo, f"refs/{path}", tip)


@route("GET", f"{REPO}/git/matching-refs/{{path}}")
def matching_refs(call: Call, path: str) -> Any:
    """Every ref that begins so."""
    found = call.repo.side.refs(f"refs/{path}")
    return call.page(list(found), lambda name: payloads_git.git_ref(call.base, call.repo, name, found[name]))


@route("POST", f"{REPO}/git/refs")
def ref_made(call: Call) -> Any:
    """Make a ref."""
    name, sha = call.need("Reference", "ref", "sha")
    side = call.repo.side
    _not_empty(call)
    if not name.startswith("refs/") or name.count("/") < 2:
        raise Refused(422, "Reference name must start with 'refs/' and have at least two slashes.")
    if side.tip(name) is not None:
        raise Refused(422, "Reference already exists")
    if side.commit_of(sha) is None:
        raise Refused(422, "Object does not exist")
    side.move(name, sha)
    return Answer(201, payloads_git.git_ref(call.base, call.repo, name, sha))


@route("PATCH", f"{REPO}/git/refs/{{path}}")
def ref_moved(call: Call, path: str) -> Any:
    """Move a ref: forward, or anywhere with `force`."""
    (sha,) = call.need("Reference", "sha")
    side = call.repo.side
    tip = side.tip(f"refs/{path}")
    if tip is None:
        raise Refused(422, "Reference does not exist")
    if side.commit_of(sha) is None:
        raise invalid("Reference", "invalid", "sha", "Object does not exist")
    if not call.body().get("force") and not side.contains(sha, tip):
        raise Refused(422, "Update is not a fast forward")
    side.move(f"refs/{path}", sha)
    return payloads_git.git_ref(call.base, call.repo, f"refs/{path}", sha)


@route("DELETE", f"{REPO}/git/refs/{{path}}")
def ref_deleted(call: Call, path: str) -> Any:
    """Delete a ref."""
    if call.repo.side.tip(f"refs/{path}") is None:
        raise Refused(422, "Reference does not exist")
    call.repo.side.delete(f"refs/{path}")
    return Answer(204)
