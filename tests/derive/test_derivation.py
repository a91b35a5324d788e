"""Deriving everything: warm is cold, order of input is no matter, the needs are the `you` cards, and it always ends."""

from __future__ import annotations

import copy

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from stoat.derive.answers import Answers, NodeAnswer, PlanAnswer
from stoat.derive.derivation import derive
from stoat.plan import fold, streams
from stoat.plan.evidence import SpecResult
from stoat.plan.facts import NOTHING, Facts
from stoat.plan.github import GitHubNow, GitHubState, Link, PullNow, RepositoryNow
from stoat.plan.nodes import ISSUE, KINDS, PR, REVIEW, SLICE, Repo, Step
from stoat.plan.reservations import Reservation
from stoat.plan.state import MachineState, Mark, NodeState, Parked, PlanState, Question, State
from tests.support.github_states import (
    GREEN,
    HEAD,
    MAIN,
    OLD,
    RED,
    RED_MAIN,
    REPOSITORY,
    RUNNING,
    Fact,
    gh_closed,
    gh_issue,
    gh_pull,
    github_answers,
    hidden,
    looked,
    seen,
    with_github,
)
from tests.support.states import (
    BEFORE,
    JO,
    LATER,
    NOW,
    answer,
    attempt,
    claim,
    derived,
    done,
    gate,
    going,
    issue,
    landing,
    node,
    piece,
    plan,
    review,
    run,
    runner,
    state,
)  # fmt: skip

PLANS = ("p", "q", "r")
IDS = ("a", "b", "c", "d")
MOMENTS = (BEFORE, NOW, LATER, "2026-11-30T13:00:00.000Z")

FAR, FARTHER = "2027-01-01T00:00:00.000Z", "2027-01-01T00:30:00.000Z"

STEPS = (Step(id="s", run="make s"), Step(id="t"))
MENDED = [review("x").decided("f1", state="accepted", by="jo", at=BEFORE, fix=fix) for fix in ("b", "c", "zzz")]
HAPPENED: dict[str, list[object]] = {
    "go_ahead": [None, JO],
    "expedited": [None, JO],
    "cloud": [None, JO],
    "done": [None, JO],
    "claim": [None, claim(), claim("other", id="c-2", expires_at=BEFORE), claim(renewed_at=FAR, expires_at=FARTHER)],
    "evidence": [{}, {"": run()}, {"": run(dirty=True)}, {"s": run("s"), "t": run("t", dirty=True, seq=3)},
                 {"s": run("s", "failed")}, {"s!": run("s", source="asserted")}, {"s/": run("s", source="bobcat")},
                 {"s": run("s"), "s/u": run("s", "failed", 9, unit="u", source="bobcat"), "t": run("t")}],
    "running": [{}, going("s"), going(), going(process="far", machine="elsewhere"),
                going("s", unit="u", source="bobcat", process=None)],
    "asserted_allowed": [None, JO],
    "diagnosed": [None, Mark("bot", BEFORE, "no database")],
    "diagnosed_seq": [0, 3, 99],
    "specs": [{}, {"F/a": SpecResult(True, "r", 2, BEFORE, "a" * 40, True)}, {"F/a": SpecResult(False, "r", 2, NOW)}],
    "attempt": [None, attempt(), attempt(outcome="done"), attempt(claim="c-2")],
    "gave_up": [None, Mark("r-1", BEFORE, "why")],
    "landing": [None, landing(), landing("nothing")],
    "parked": [None, Parked(why="conflict", at=BEFORE, commit="a" * 40)],
    "review": [None, review(), review(signed_by="jo", signed_at=BEFORE), review("x", "y"), *MENDED],
    "reverify_seq": [0, 2],
    "cleared_seq": [0, 9],
    "spent_usd": [None, 1.5],
}  # fmt: skip
WRITTEN: dict[str, object] = {
    "specs": ("F/a",),
    "steps": STEPS,
    "reverify": "on-branch-change",
    "issue": 7,
    "pr": 9,
    "repo": "o/r",
    "merge": "merge-on-green",
}
ON_GITHUB = (ISSUE, ISSUE, ISSUE, PR)

SHOWN: tuple[Fact, ...] = (
    REPOSITORY,
    MAIN,
    RED_MAIN,
    gh_issue(),
    gh_issue(9),
    gh_issue(Link("o/x", 9, "closes")),
    gh_closed(9, by=9),
    gh_issue(9, reason="reopened"),
    gh_issue(number=8),
    gh_pull(),
    gh_pull(9, "merged"),
    gh_pull(9, "closed"),
    gh_pull(9, mergeable="conflicting"),
    gh_pull(9, head=OLD),
    gh_pull(9, ci="failed", failing=("test",)),
    gh_pull(12, head_branch="stoat/p/a"),
    gh_pull(12, "merged", head_branch="stoat/q/b"),
    gh_pull(12, head_branch="stoat/p/a", fork=True),
    hidden("deleted", 7),
    hidden("transferred", 7, to="o/r#8"),
    hidden("forbidden"),
    hidden("missing"),
    hidden("missing", 9, "pull"),
)
"""Facts of a repository, in any order: the newest of each is the one that counts."""
LOOKED_AT = ("2026-11-30T11:58:30.000Z", "2026-11-30T09:00:00.000Z", NOW)


@st.composite
def nodes(draw: st.DrawFn, slug: str, node_id: str) -> NodeState:
    """A node of any kind, with any edges and nearly any history."""
    targets = [name if plan_slug == slug else f"{plan_slug}/{name}" for plan_slug in PLANS for name in IDS]
    deps = draw(st.lists(st.sampled_from(targets), unique=True, max_size=2))
    spec = {name: WRITTEN[name] for name in sorted(draw(st.sets(st.sampled_from(sorted(WRITTEN)))))}
    if draw(st.integers(0, 4)) == 0:
        spec["assignee"] = "person"
    happened = {
        name: draw(st.sampled_from(values)) for name, values in HAPPENED.items() if draw(st.integers(0, 2)) == 0
    }
    kind = draw(st.sampled_from((*KINDS, *ON_GITHUB, REVIEW)))
    if kind in ON_GITHUB and draw(st.integers(0, 2)):
        spec |= {"issue": 7, "pr": 9, "repo": draw(st.sampled_from(["o/r", "O/R", "o/x"]))}
    found = node(node_id, kind, *deps, spec=spec, **happened)
    return replace(found, open_questions=1) if draw(st.integers(0, 7)) == 0 else found


@st.composite
def plans(draw: st.DrawFn, slug: str) -> PlanState:
    """A plan with some of four nodes."""
    chosen = draw(st.lists(st.sampled_from(IDS), unique=True, min_size=1))
    of = plan(
        slug, *[draw(nodes(slug, name)) for name in chosen],
        header={"branch": draw(st.sampled_from([None, "integ"])), "go_ahead": draw(st.sampled_from(["node", "plan"]))},
        archived=draw(st.sampled_from([None, None, None, JO])), approved=draw(st.sampled_from([None, JO])),
        paused=draw(st.sampled_from([None, None, JO])),
        approved_seq=5, moved_seq=draw(st.sampled_from([0, 2])), branch_tip=draw(st.sampled_from([None, "a" * 40])),
    )  # fmt: skip
    for name, one in of.nodes.items():
        if one.open_questions:
            of.questions = {**of.questions, f"q-{name}": Question(
                id=f"q-{name}", node=name, question="?", asked_by="bot", at=BEFORE)}  # fmt: skip
    return of


@st.composite
def states(draw: st.DrawFn) -> State:
    """Some of three plans that may depend on each other in any way, and perhaps a held machine."""
    chosen = draw(st.lists(st.sampled_from(PLANS), unique=True, min_size=1))
    of = state(*[draw(plans(slug)) for slug in chosen], machine=("box", JO) if draw(st.booleans()) else None)
    for name in ("o/r", "o/x"):
        if draw(st.integers(0, 2)):
            of.parts[streams.of_repository(name)] = seen(*draw(st.lists(st.sampled_from(SHOWN), max_size=6)), name=name)
    return of


@st.composite
def looks(draw: st.DrawFn) -> GitHubNow:
    """What the last sweep saw beside the record: the checks of pull requests, and what kept it from looking."""
    problems = st.sampled_from([None, None, "away", "no access"])
    repositories = {
        name: RepositoryNow(
            seen_at=draw(st.sampled_from([None, *LOOKED_AT])),
            problem=draw(problems),
            pulls={
                number: PullNow(
                    head=draw(st.sampled_from([HEAD, OLD])), ci=draw(st.sampled_from([GREEN, RED, RUNNING]))
                )
                for number in draw(st.sets(st.sampled_from([9, 12])))
            },
        )
        for name in draw(st.sets(st.sampled_from(["o/r", "o/x"])))
    }
    return GitHubNow(at=NOW, problem=draw(problems), fix="wait", repositories=repositories)


ALONE = Reservation(id="t", kind="turn", since=NOW, store="/s", plan=PLANS[0], node="n1", exclusive=True)


@st.composite
def facts(draw: st.DrawFn) -> Facts:
    """Any runners of the first plan, and which processes are dead."""
    runners = [
        runner(state=one, repo=draw(st.sampled_from([None, "o/r"])), parallel=draw(st.integers(0, 1)))
        for one in draw(st.lists(st.sampled_from(["running", "paused", "gone", "disconnected"]), max_size=2))
    ]
    dead = frozenset(draw(st.sets(st.sampled_from(["agent", "alive"]))))
    machine = draw(st.sampled_from(["", "box"]))
    lost = frozenset(draw(st.sets(st.just("r-5"))))
    exclusive = draw(st.sampled_from([(), (ALONE,)]))
    return Facts(
        machine=machine, runners=tuple(runners), dead=dead, lost=lost, github=draw(looks()), exclusive=exclusive,
        store="/s",
    )  # fmt: skip


@st.composite
def successors(draw: st.DrawFn, before: State) -> State:
    """What the state may be next: plans and nodes come, go, move and change; the rest stays the same object."""
    parts = dict(before.parts)
    for _ in range(draw(st.integers(0, 3))):
        slug = draw(st.sampled_from(PLANS))
        stream = streams.of_plan(slug)
        old = parts.get(stream)
        what = draw(st.sampled_from(HAPPENS))
        if what == "github":
            stream = streams.of_repository(draw(st.sampled_from(["o/r", "o/x"])))
            before_it = parts.get(stream)
            facts_seen = draw(st.lists(st.sampled_from(SHOWN), max_size=2))
            parts[stream] = seen(*facts_seen, before=before_it if isinstance(before_it, GitHubState) else None)
            continue
        if what == "hold":
            parts[streams.of_machine("box")] = MachineState(held=draw(st.sampled_from([None, JO])))
        elif not isinstance(old, PlanState) or what == "replace":
            parts[stream] = draw(plans(slug))
        else:
            new = copy.copy(old)
            new.nodes, new.questions = dict(old.nodes), dict(old.questions)
            _change(draw, new, what)
            parts[stream] = new
    return State("1" * 40, parts)


HAPPENS = ("replace", "node", "node", "node", "drop", "reorder", "header", "moved", "hold", "github", "github")


def _change(draw: st.DrawFn, of: PlanState, what: str) -> None:
    if what == "node":
        name = draw(st.sampled_from(IDS))
        of.nodes[name] = replace(draw(nodes(of.slug, name)), open_questions=0)
        of.questions = {key: asked for key, asked in of.questions.items() if asked.node != name}
    elif what == "drop":
        if len(of.nodes) > 1:
            del of.nodes[draw(st.sampled_from(sorted(of.nodes)))]
    elif what == "reorder":
        of.nodes = {name: of.nodes[name] for name in draw(st.permutations(sorted(of.nodes)))}
    elif what == "header":
        of.header = replace(of.header, branch=draw(st.sampled_from([None, "integ"])))
        of.archived, of.approved = draw(st.sampled_from([None, JO])), draw(st.sampled_from([None, JO]))
    else:
        of.moved_seq, of.branch_tip = draw(st.integers(0, 9)), draw(st.sampled_from([None, "a" * 40, "e"]))


def plain(answers: Answers) -> tuple[object, ...]:
    return (
        answers.at, answers.plans, list(answers.plans), answers.by_ref, answers.ready, answers.needs, answers.until
    )  # fmt: skip


SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
WIDE = settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
WIDEST = settings(WIDE, max_examples=150)


@given(st.data())
@WIDEST
def test_a_warm_answer_is_the_cold_one_after_whatever_happened(data: st.DataObject) -> None:
    now_state = data.draw(states())
    answers = derive(now_state, data.draw(facts()), data.draw(st.sampled_from(MOMENTS)))
    for _ in range(data.draw(st.integers(1, 3))):
        now_state = data.draw(successors(now_state))
        seen, now = data.draw(facts()), data.draw(st.sampled_from(MOMENTS))
        answers = derive(now_state, seen, now, answers)
        assert plain(answers) == plain(derive(now_state, seen, now))


@given(states(), facts(), st.sampled_from(MOMENTS))
@WIDE
def test_the_needs_are_the_you_cards_and_done_work_that_could_not_be_landed(of: State, seen: Facts, now: str) -> None:
    answers = derive(of, seen, now)
    nodeless = [need for need in answers.needs if need.node is None]
    assert all(need.kind == "main-red" and need.action for need in nodeless)
    assert len({(need.plan, need.action, need.why) for need in nodeless}) == len(nodeless)
    own = [need for need in answers.needs if need.node is not None]
    yours = sorted(
        ref
        for ref, one in answers.by_ref.items()
        if one.stance == "you" or (one.status == "done" and _is_unlanded(of, ref, one))
    )
    landing = [ref for ref, one in answers.by_ref.items() if one.status == "done" and one.detail.startswith("landing")]
    landing = [ref for ref in landing if ref not in yours]
    listed = [f"{need.plan}/{need.node}" for need in own]
    assert sorted(ref for ref in listed if ref not in landing) == yours
    assert len(set(listed)) == len(listed)
    assert [need.holds for need in answers.needs] == sorted((need.holds for need in answers.needs), reverse=True)
    for need in own:
        card = answers.by_ref[f"{need.plan}/{need.node}"]
        assert need.why == card.stance_why or card.status == "done"
        assert need.action


def _is_unlanded(of: State, ref: str, one: NodeAnswer) -> bool:
    plan_of = of.plan(ref.partition("/")[0])
    assert plan_of is not None
    return plan_of.nodes[one.id].parked is not None and one.claim is None and plan_of.archived is None


@given(states(), facts(), st.sampled_from(MOMENTS))
@WIDE
def test_what_holds_of_every_answer(of: State, seen: Facts, now: str) -> None:
    answers = derive(of, seen, now)
    for slug, document in answers.plans.items():
        assert document.done == sum(one.status == "done" for one in document.nodes)
        assert document.total == len(document.nodes)
        for one in document.nodes:
            _check(f"{slug}/{one.id}", one, document, answers)
    listed = [f"{slug}/{one.id}" for slug, one in answers.ready]
    assert sorted(listed) == sorted(ref for ref, one in answers.by_ref.items() if one.ready)
    leverage = [one.unblocks for _, one in answers.ready]
    assert leverage == sorted(leverage, reverse=True)


def _check(ref: str, one: NodeAnswer, document: PlanAnswer, answers: Answers) -> None:
    assert answers.by_ref[ref] is one
    assert one.detail and one.readiness
    assert not (one.ready and (one.waits_on or document.archived))
    assert (one.stance is None) == (one.status == "done" or document.archived)
    assert one.stance is None or one.stance_why
    assert bool(one.waits_on) <= (one.root_blocker is not None)
    assert one.status != "done" or (one.waits_on, one.root_blocker) == ((), None)
    assert (one.launch is None) or (one.ready and one.claim is None)
    assert one.approved_for_agents is None or not one.approvable
    assert one.status != "claimed" or one.claim is not None
    for blocker in one.waits_on:
        upstream = answers.by_ref.get(f"{blocker.plan}/{blocker.node}")
        landing = blocker.why.startswith("done · landing")
        assert upstream is None or (upstream.status == "done") == landing


@given(states(), facts(), st.sampled_from(MOMENTS), st.randoms(use_true_random=False))
@WIDE
def test_the_order_of_streams_and_runners_is_no_matter(of: State, seen: Facts, now: str, random: object) -> None:
    parts = list(of.parts.items())
    random.shuffle(parts)  # type: ignore[attr-defined]
    other = replace(seen, runners=tuple(reversed(seen.runners)))
    distinct = [replace(one, runner_id=f"r-{n}") for n, one in enumerate(seen.runners)]
    seen, other = replace(seen, runners=tuple(distinct)), replace(other, runners=tuple(reversed(distinct)))
    assert plain(derive(of, seen, now)) == plain(derive(State(of.commit, dict(parts)), other, now))


@given(states(), facts(), st.sampled_from(MOMENTS))
@settings(WIDE, max_examples=25)
def test_a_state_from_the_cache_gives_the_same_answers(of: State, seen: Facts, now: str) -> None:
    again = {stream: fold.decode_part(stream, fold.encode_part(part)) for stream, part in of.parts.items()}
    assert plain(derive(of, seen, now)) == plain(derive(State(of.commit, again), seen, now))


def test_deriving_again_with_nothing_new_gives_the_same_objects() -> None:
    of = state(plan("p", piece("a"), piece("b", "a")))
    first = derive(of, NOTHING, NOW)
    second = derive(of, NOTHING, LATER, first)
    assert second.at == LATER == second.plans["p"].at
    assert all(second.by_ref[ref] is first.by_ref[ref] for ref in first.by_ref)


def test_only_what_an_event_touches_is_looked_at_again() -> None:
    before = state(plan("p", piece("a"), piece("b", "a"), piece("c")), plan("q", piece("a")))
    first = derive(before, NOTHING, NOW)
    changed = copy.copy(before.plan("p"))
    assert changed is not None
    changed.nodes = {**changed.nodes, "a": piece("a", claim=claim())}
    second = derive(State("1", {**before.parts, "plans/p": changed}), NOTHING, NOW, first)
    same = {ref for ref in first.by_ref if second.by_ref[ref] is first.by_ref[ref]}
    assert same == {"p/c", "q/a"}
    assert second.by_ref["p/b"].waits_on[0].why == "⟳ bot is on it"


def test_a_pull_request_touches_the_nodes_that_read_it_and_no_other() -> None:
    of = state(plan("p", issue("a"), issue("b", number=8), issue("c", "a", number=6), piece("d")))
    record = seen(REPOSITORY, MAIN, gh_issue(9), gh_issue(12, number=8), gh_issue(number=6), gh_pull(), gh_pull(12))
    first = derive(with_github(of, record), NOTHING, NOW)
    second = derive(with_github(of, seen(gh_pull(9, "draft"), before=record)), NOTHING, NOW, first)
    assert {ref for ref in first.by_ref if second.by_ref[ref] is first.by_ref[ref]} == {"p/b", "p/c", "p/d"}
    third = derive(with_github(of, record), Facts(github=looked({12: RED})), NOW, first)
    assert {ref for ref in first.by_ref if third.by_ref[ref] is first.by_ref[ref]} == {"p/a", "p/c", "p/d"}
    assert third.by_ref["p/b"].stance == "you"


def test_a_sweep_with_nothing_new_touches_nothing() -> None:
    of = state(plan("p", issue("a"), issue("b", number=8)))
    record = seen(REPOSITORY, MAIN, gh_issue(9), gh_pull())
    first = derive(with_github(of, record), Facts(github=looked({9: GREEN})), NOW)
    second = derive(with_github(of, record), Facts(github=looked({9: GREEN}, seen_at=LATER)), LATER, first)
    assert all(second.by_ref[ref] is first.by_ref[ref] for ref in first.by_ref)


def test_ten_thousand_issues_of_one_repository_are_looked_up_in_time() -> None:
    nodes_of = [issue(f"n{i}", number=i + 1) for i in range(10_000)]
    facts_seen = [gh_issue(i + 20_001, number=i + 1) for i in range(10_000)]
    pulls_of = [gh_pull(i + 20_001) for i in range(10_000)]
    record = seen(REPOSITORY, MAIN, *facts_seen, *pulls_of)
    checks = looked({i + 20_001: GREEN for i in range(10_000)})
    first = github_answers(plan("p", *nodes_of), record=record, now=checks)
    assert len(first.needs) == 10_000
    one_more = seen(gh_pull(20_001, "merged"), before=record)
    later = derive(with_github(state(plan("p", *nodes_of)), one_more), Facts(github=checks), NOW, first)
    assert len(later.needs) == 10_000 and later.by_ref["p/n0"].status == "open"


def test_ten_thousand_nodes_in_a_row_and_in_a_ring_end() -> None:
    line = plan("p", *[piece(f"n{i}", *([f"n{i - 1}"] if i else [])) for i in range(10_000)])
    answers = derived(line)
    assert answers.by_ref["p/n0"].unblocks == 9_999
    assert answers.by_ref["p/n9999"].root_blocker is not None
    assert answers.by_ref["p/n9999"].root_blocker.node == "n0"
    ring = plan("p", *[piece(f"n{i}", f"n{(i - 1) % 10_000}") for i in range(10_000)])
    answers = derived(ring)
    assert answers.ready == ()
    assert {one.unblocks for one in answers.by_ref.values()} == {9_999}
    assert len(answers.by_ref["p/n5"].readiness) < 100


def test_the_status_document_is_the_public_one() -> None:
    of = plan("p", gate("g", steps=("s",)), header={"title": "The plan"}, spent_usd=1.25, attempts=2, lead=JO)
    document = msgspec.json.decode(msgspec.json.encode(derived(of).plans["p"]))
    assert list(document) == [
        "plan", "title", "at", "archived", "done", "total", "spentUsd", "spentAtLeast", "attempts", "lead", "runner",
        "runners", "nodes",
    ]  # fmt: skip
    assert document["lead"] == {"by": "jo", "at": BEFORE}
    (shown,) = document["nodes"]
    assert list(shown) == [
        "id", "kind", "title", "repo", "status", "detail", "ready", "readiness", "dependsOn", "unblocks", "stance",
        "stanceWhy", "waitsOn", "claim", "approvable", "approvedForAgents", "expedited", "cloud", "assignee", "merge",
        "launch", "prs", "steps", "attempts", "spentUsd", "url", "review", "rootBlocker", "resume",
    ]  # fmt: skip
    assert list(shown["steps"][0]) == ["id", "title", "state", "detail", "command", "run", "units"]


def test_what_applies_to_a_kind_is_shown_and_the_rest_is_null() -> None:
    spec = {"issue": 7, "repo": "x", "title": "Fix it", "merge": "merge-on-green", "agent": "cloud"}
    of = plan("p", node("i", "issue", spec=spec, expedited=JO), header={"repos": {"x": Repo("o/r")}})
    found = answer("p/i", of)
    assert (found.title, found.repo, found.url) == ("Fix it", "o/r", "https://github.com/o/r/issues/7")
    assert found.merge == "merge-on-green" and found.cloud is not None and found.expedited is not None
    person = answer("p/a", plan("p", done("a")))
    assert (person.assignee, person.merge, person.url, person.repo, person.cloud) == ("person", None, None, None, None)
    assert answer("p/a", plan("p", node("a", "pr", spec={"pr": 3, "repo": "o/r"}))).merge == "manual-review"
    finished = node("a", SLICE, spec={"specs": ("F/a",)}, expedited=JO, cloud=JO,
                    specs={"F/a": SpecResult(True, "r", 1, BEFORE)})  # fmt: skip
    assert (answer("p/a", plan("p", finished)).expedited, answer("p/a", plan("p", finished)).cloud) == (None, None)


def test_everybody_in_a_circle_sees_when_its_first_node_changes() -> None:
    parked = Parked(why="conflict", at=BEFORE, commit="a" * 40)
    ring = [piece("a", "b"), piece("b", "c"), piece("d", "a"), piece("z", "c")]
    first_met = piece("c", "d")
    before = plan("p", first_met, *ring)
    after = copy.copy(before)
    after.nodes = {**before.nodes, "a": replace(ring[0], parked=parked)}
    warm = derive(state(after), NOTHING, NOW, derive(state(before), NOTHING, NOW))
    assert plain(warm) == plain(derive(state(after), NOTHING, NOW))
    roots = {one.root_blocker.why for one in warm.by_ref.values() if one.root_blocker}
    assert roots == {"✋ a conflict to resolve"}


def test_a_machines_hold_shows_at_once() -> None:
    of, seen = plan("p", piece("a"), node("b")), Facts(machine="box", runners=(runner(),))
    free = derive(state(of), seen, NOW)
    held = derive(state(of, machine=("box", JO)), seen, NOW, free)
    assert held.by_ref["p/a"].launch is not None and held.by_ref["p/a"].launch.reason == "held"
    assert plain(derive(state(of), seen, NOW, held)) == plain(free)


def test_a_lease_stamped_by_a_clock_ahead_of_ours_is_counted_from_now() -> None:
    ahead = plan("p", piece("a", claim=claim(renewed_at=FAR, expires_at=FARTHER)))
    found = derived(ahead)
    assert found.by_ref["p/a"].claim is not None
    assert found.by_ref["p/a"].claim.expires_at == found.until == LATER


def test_the_answers_hold_until_the_first_lease_ends_and_no_longer() -> None:
    soon, late = claim(), claim(expires_at="2026-11-30T13:00:00.000Z")
    outlived = piece("z", claim=claim(expires_at=BEFORE), attempt=attempt())
    of, facts = state(plan("p", piece("a", claim=late), piece("b", claim=soon), outlived)), Facts(machine="box")
    first = derive(of, facts, NOW)
    assert first.until == LATER
    assert first.by_ref["p/z"].claim is not None
    held = derive(of, facts, "2026-11-30T12:29:59.999Z")
    assert held.by_ref == first.by_ref
    over = derive(of, facts, LATER, first)
    assert over.by_ref["p/b"].claim is None and over.until == late.expires_at
    assert derive(of, Facts(machine="box", dead=frozenset({"agent"})), NOW, first).by_ref["p/z"].claim is None
