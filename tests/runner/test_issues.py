"""Issues worked by real agents against a fake GitHub: from the go-ahead to the merge, and whatever comes between."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.derive import glances
from stoat.runner.loop import run_plan
from stoat.service import decisions
from stoat.service.session import parse_ref
from stoat.service.sweeping import sweep
from tests.runner.issues.hub import OPENS, PLAN, Beside, Hub
from tests.runner.test_adopting import kill_at
from tests.support.gitrepo import GitRepo
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow


def test_an_issue_goes_from_a_go_ahead_over_a_pull_request_to_what_depends_on_it(github: Hub) -> None:
    world = github.world
    github.plan(
        """
        repos: {w: acme/widgets}
        nodes:
          - {id: fix, kind: issue, repo: w, issue: 120}
          - {id: next, kind: change, repo: w, depends_on: [fix]}
        """
    )
    world.agent("fix", f"tell('prompt', 'They cross.' in PROMPT and '`Fixes #120`' in PROMPT); {OPENS}")
    assert world.run() == 0
    assert world.said("⚠ fix: awaiting a person's go-ahead — stoat approve p/fix")
    assert world.starts() == []

    decisions.approve(world.session, [parse_ref("p/fix")])
    assert world.run() == 0
    base = GitRepo(github.repo.git).head("refs/heads/main")
    [line] = world.said("→ attempt 1 on 'fix'")
    assert f"from origin/main ({base[:7]})" in line
    assert [words[5] for words in world.told() if words[4] == "prompt"] == ["True"]
    assert world.said("✓ 'fix' has a PR open to close its issue — it is done when a person merges it")
    node = world.node("fix")
    assert node.claim is None and node.attempt is not None
    assert (node.attempt.outcome, node.attempt.branch) == ("done", "stoat/p/fix")
    assert world.statuses() == {"fix": "pr-open", "next": "open"}
    assert world.starts() == ["fix"]
    assert not github.hub.writes()[1:], "nobody but the agent changes anything on GitHub"

    github.repo.pulls[github.only_pull()].merge()
    assert github.issue.state == "closed"
    assert world.run() == 0
    assert world.statuses()["fix"] == "done"
    assert world.said("✓ 'fix' is done —")
    assert world.starts() == ["fix", "next"]
    assert GitRepo(world.beside("next").path).read("fix.txt") == "fix"


def test_a_resident_runner_sees_the_merge_and_goes_on(github: Hub) -> None:
    world = github.world
    github.plan(
        """
        repos: {w: acme/widgets}
        nodes:
          - {id: fix, kind: issue, repo: w, issue: 120}
          - {id: next, kind: issue, repo: w, issue: 121, depends_on: [fix]}
        """,
        "fix", "next",
    )  # fmt: skip
    github.repo.issue("Then this", number=121)
    world.agent("fix", OPENS)
    world.agent("next", "commit('next.txt'); push(); open_pull(121)")

    def merges() -> None:
        wait_until(lambda: world.said("'fix' has a PR open"), 30, "the first pull request")
        github.repo.pulls[github.only_pull()].merge()
        sweep(world.fresh_session(), world.environ, wait=lambda seconds, why: False, patience=20)

    def leave() -> None:
        wait_until(lambda: world.said("'next' has a PR open"), 40, "the second pull request")
        (world.repo.path / ".stoat-stop").touch()

    with Beside(merges, leave):
        assert world.run(watch=True) == 0
    assert world.statuses() == {"fix": "done", "next": "pr-open"}


def test_each_reason_to_wait_is_said_once(github: Hub) -> None:
    world = github.world
    github.hub.repository("acme/gadgets").issue("Elsewhere", number=7)
    github.repo.issue("Somebody is on it", number=121)
    github.repo.issue("Not yet", number=122)
    github.repo.pull("By a person", head="mine", body="Fixes #121")
    github.plan(
        """
        repos: {w: acme/widgets}
        nodes:
          - {id: unbound, kind: issue, repo: w}
          - {id: away, kind: issue, repo: acme/gadgets, issue: 7}
          - {id: open, kind: issue, repo: w, issue: 121, merge: merge-on-green}
          - {id: waits, kind: issue, repo: w, issue: 122}
          - {id: absent, kind: issue, repo: w, issue: 999}
          - {id: pull, kind: pr, repo: w, pr: 123}
        """,
        "away", "open", "absent",
    )  # fmt: skip
    world.run()
    assert world.said("⚠ absent: ", world.shown("absent").detail)
    world.lines = [line for line in world.lines if line.startswith(("⚠", "✓")) and "absent" not in line]
    assert sorted(world.lines) == sorted(
        [
            "⚠ unbound: not bound to an issue — stoat node bind p/unbound --issue N",
            "⚠ away: in acme/gadgets, not this checkout",
            "✓ 'open' has a PR open to close its issue — it is done when a person merges it",
            "⚠ open: merge-on-green — merging on green comes with a later version; a person merges it",
            "⚠ waits: awaiting a person's go-ahead — stoat approve p/waits",
        ]
    )
    assert world.starts() == []
    assert {node: world.statuses()[node] for node in ("absent", "unbound")} == {
        "absent": "missing", "unbound": "unrealized"
    }  # fmt: skip


def test_an_issue_that_nobody_has_seen_is_not_launched_and_the_reason_is_said(github: Hub) -> None:
    world = github.world
    github.plan(PLAN, "fix")
    github.hub.faults.unauthorized()
    assert world.run() == 4
    assert world.starts() == []
    assert len(world.said("⚠ GitHub cannot be read:")) == 1
    assert world.said("⚠ fix: ") == []
    github.hub.faults.clear()
    world.agent("fix", OPENS)
    world.run()
    assert world.starts() == ["fix"]


def test_several_checkouts_work_one_plan_each_its_own_issues(github: Hub, tmp_path: Path) -> None:
    world = github.world
    gadgets = github.hub.repository("acme/gadgets")
    gadgets.issue("Other", number=7)
    other = github.clone(gadgets, tmp_path / "work space" / "gadgets", "https://github.com/Acme/Gadgets.git")
    other.run_git("config", "stoat.store", str(world.repo.path))
    github.plan(
        """
        nodes:
          - {id: fix, kind: issue, repo: acme/widgets, issue: 120}
          - {id: other, kind: issue, repo: acme/gadgets, issue: 7}
        """,
        "fix", "other",
    )  # fmt: skip
    world.agent("fix", OPENS)
    world.agent("other", "commit('other.txt'); push()")
    assert run_plan(
        world.options(project=other.path, max_attempts=1), world.fresh_session(), world.lines.append, world.environ
    )
    assert world.said("⚠ fix: in acme/widgets, not this checkout")
    assert world.said("→ attempt 1 on 'other'", f"in {other.path}-other")
    assert world.starts() == ["other"]
    world.lines.clear()
    world.run()
    assert world.starts() == ["other", "fix"]
    assert world.said("→ attempt 1 on 'fix'", f"in {world.repo.path}-fix")
    assert world.statuses()["fix"] == "pr-open"


def test_runners_of_several_checkouts_do_not_tell_each_other_for_ever_where_the_plans_branch_is(
    github: Hub, tmp_path: Path
) -> None:
    world = github.world
    gadgets = github.hub.repository("acme/gadgets")
    other = github.clone(gadgets, tmp_path / "work space" / "gadgets")
    other.run_git("config", "stoat.store", str(world.repo.path))
    github.plan(
        """
        branch: i
        nodes:
          - {id: own, kind: change, repo: acme/widgets}
          - {id: other, kind: change, repo: acme/gadgets}
        """
    )
    places = (world.repo.path, other.path)

    def both() -> int:
        for place in places:
            run_plan(world.options(project=place), world.fresh_session(), world.lines.append, world.environ)
        return len(world.events())

    both()
    assert world.statuses() == {"own": "done", "other": "done"}
    settled = both()
    assert both() == settled


@pytest.mark.parametrize(
    "url", ["https://github.com/acme/widgets", "ssh://git@github.com/ACME/Widgets.git", "git@github.com:acme/widgets"]
)
def test_a_checkout_is_known_by_its_remote_however_that_is_written(github: Hub, url: str, tmp_path: Path) -> None:
    world = github.world
    github.project.run_git("remote", "set-url", "origin", url)
    github.project.run_git("config", f"url.{github.repo.git.as_uri()}.insteadOf", url)
    github.plan(PLAN, "fix")
    world.agent("fix", OPENS)
    assert world.run() == 0
    assert world.statuses() == {"fix": "pr-open"}


def test_a_remote_that_cannot_be_reached_holds_the_issue_and_uses_up_nothing(github: Hub) -> None:
    world = github.world
    github.plan(PLAN, "fix")
    world.agent("fix", OPENS)
    bare = github.repo.git
    bare.rename(bare.with_name("gone.git"))
    github.hub.faults.next(404, "/repos/acme/widgets/git", times=1)
    seen = world.run()
    bare.with_name("gone.git").rename(bare)
    assert seen == 1
    assert world.said("⚠ fix: not launched, no fresh base to start from: origin cannot be reached")
    node = world.node("fix")
    assert (node.attempts, node.tries, node.claim) == (0, 0, None)
    assert world.run() == 0
    assert world.starts() == ["fix"]


def test_an_issue_starts_from_the_default_branch_and_not_from_the_plans_or_the_checkouts(github: Hub) -> None:
    world = github.world
    github.plan(f"branch: i\n{PLAN}", "fix")
    github.project.checkout("elsewhere", new=True).commit({"mine.txt": "x"})
    github.repo.push("main", "Newer", {"newer.txt": "n"})
    world.agent("fix", f"tell('tree', os.path.exists('newer.txt') and not os.path.exists('mine.txt')); {OPENS}")
    assert world.run() == 0
    assert [words[5] for words in world.told() if words[4] == "tree"] == ["True"]
    tip = GitRepo(github.repo.git).head("refs/heads/main")
    assert world.said("→ attempt 1 on 'fix'", f"from origin/main ({tip[:7]})")
    assert world.node("fix").landing is None


def test_an_attempt_without_a_pull_request_failed_and_the_next_one_is_told(github: Hub) -> None:
    world = github.world
    github.plan(PLAN, "fix")
    world.agent(
        "fix",
        """
        if ATTEMPT == 1:
            commit('fix.txt'); push()
        else:
            tell('told', 'no PR was seen that closes #120' in PROMPT); open_pull(120)
        """,
    )
    assert world.run() == 0
    assert world.said("✗ attempt 1 on 'fix' failed: no PR was seen that closes #120 (1 attempt left)")
    assert world.said("→ attempt 2 on 'fix'", "left as it is: 1 commit of its own")
    assert [words[5] for words in world.told() if words[4] == "told"] == ["True"]
    assert world.statuses() == {"fix": "pr-open"}


def test_a_pull_request_that_only_names_the_branch_counts_and_a_forks_does_not(github: Hub) -> None:
    world = github.world
    github.plan(PLAN, "fix")
    github.repo.pull("Fake", head="stoat/p/fix", fork="mallory", body="no keyword")
    world.agent("fix", "commit('fix.txt'); push(); open_pull(120, 'without a word on what it closes')")
    assert world.run() == 0
    assert world.starts() == ["fix"]
    assert world.statuses() == {"fix": "pr-open"}


def test_a_closed_pull_request_gets_no_second_agent_until_a_person_says_so(github: Hub) -> None:
    world = github.world
    github.plan(PLAN, "fix")
    world.agent("fix", "commit(f'{ATTEMPT}.txt'); push(); open_pull(120)")
    assert world.run() == 0
    github.repo.pulls[github.only_pull()].close()
    world.run()
    assert world.starts() == ["fix"]
    assert world.said("⚠ fix: its last attempt ended in a pull request", "stoat restart p/fix does it over")
    world.restart("fix")
    assert world.run() == 0
    assert world.starts() == ["fix", "fix"]
    assert world.statuses() == {"fix": "pr-open"}


@pytest.mark.parametrize(
    "moment",
    [
        "before claims fix", "after claims fix", "after spawn", "before attempt 1 on fix exited",
        "after attempt 1 on fix exited", "before attempt 1 on fix: done", "after attempt 1 on fix: done",
    ],
)  # fmt: skip
def test_a_runner_that_is_killed_anywhere_leaves_one_pull_request(github: Hub, moment: str) -> None:
    world = github.world
    github.plan(PLAN, "fix")
    world.agent("fix", OPENS)
    kill_at(world, moment)
    assert world.run() == 0
    assert world.statuses() == {"fix": "pr-open"}
    assert len(github.repo.pulls) == 1
    node = world.node("fix")
    assert node.attempt is not None and (node.attempt.outcome, node.claim) == ("done", None)


def test_an_attempt_is_not_judged_while_github_cannot_be_seen(github: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    world = github.world
    monkeypatch.setattr(glances, "AGAIN", 0.2)
    github.plan(PLAN, "fix")
    world.agent("fix", "commit('fix.txt'); push(); open_pull(120); tell('waits'); wait_for('go')")

    def away() -> None:
        wait_until(lambda: any(words[4] == "waits" for words in world.told()), 30, "the pull request")
        github.hub.faults.unauthorized()
        world.signal("go")
        wait_until(lambda: world.said("⚠ fix: GitHub has not been seen since its agent exited"), 30, "it to be said")
        assert world.node("fix").tries == 0
        github.hub.faults.clear()

    with Beside(away):
        assert world.run(poll_seconds=0.2) == 0
    assert world.statuses() == {"fix": "pr-open"}
    assert world.starts() == ["fix"]
    node = world.node("fix")
    assert node.attempt is not None and (node.attempt.outcome, node.tries) == ("done", 0)
    assert len(world.said("⚠ fix: GitHub has not been seen")) == 1


def test_a_red_and_then_conflicting_pull_request_is_a_persons_and_said_once_for_each_head(github: Hub) -> None:
    world = github.world
    github.plan(PLAN, "fix")
    world.agent("fix", OPENS)
    assert world.run() == 0
    pull = github.repo.pulls[github.only_pull()]
    pull.check("test", "failure")
    world.lines.clear()
    world.run()
    assert len(world.said("✗ 'fix': ", "test", "needs a person")) == 1
    pull.push()
    pull.check("test", "success")
    world.lines.clear()
    world.run()
    assert not world.said("needs a person")
    pull.conflict = True
    world.run()
    assert len(world.said("✗ 'fix': ", "conflicts with main", "needs a person")) == 1
    assert world.starts() == ["fix"]
    [need] = world.session.answers().needs
    assert (need.kind, need.node) == ("fix", "fix")


def test_a_red_default_branch_is_said_once_with_what_it_holds_and_no_pull_request_is_a_persons(github: Hub) -> None:
    world = github.world
    github.plan(PLAN, "fix")
    world.agent("fix", OPENS)
    assert world.run() == 0
    pull = github.repo.pulls[github.only_pull()]
    github.repo.check("test", "failure")
    pull.check("test", "failure")
    world.lines.clear()
    world.run()
    assert len(world.said("⚠ main is red since", "(test)", f"it holds #{pull.number}")) == 1
    assert not world.said("needs a person")
    [need] = world.session.answers().needs
    assert (need.plan, need.kind, need.node) == ("p", "main-red", None)
    assert need.action.endswith(f"/commit/{github.repo.side.tip('main')}")
    pull.check("test", "failure", app="another-ci")
    world.run()
    assert len(world.said("✗ 'fix': ", "another-ci / test", "needs a person")) == 1
