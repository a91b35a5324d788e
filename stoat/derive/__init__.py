"""Decisions, pure: from state, facts and the time to answers. No clock, disk, socket, git or environment.

`derivation.derive(state, facts, now, previous)` goes through the nodes of all plans in five steps. Each looks only at
what was touched since the previous answers (`memo.py`), and may touch more:

| step    | what it decides of a node                               | where                                            |
|---------|---------------------------------------------------------|--------------------------------------------------|
| judge   | its verdict, by its kind's rule and by who waits for it | settling.py → kinds/, steps.py, freshness.py     |
| connect | who is done, what it holds back, who waits for itself   | settling.py → graph.py, leverage.py              |
| place   | is it ready, why is it not launched, whose turn is it   | positions.py → readiness, launch, stance         |
| trace   | what it ultimately waits on                             | blockers.py                                      |
| tell    | its entry in the status document; then all needs        | assembly.py, needs.py                            |

Of GitHub `watched.py` looks up what is known, and says what of it changed; `sight.py` says whether a node's issue or
pull request can be seen, `pulls.py` which pull requests are whose, `mainred.py` whether main made one red, `turns.py`
whose turn it is on one.

Of the runs of a gate `rounds.py` says which count for a step, `steps.py` where the step stands by them. `flaky.py` is
the ledger of scenarios that passed on a retry or flipped; `exports/` writes a run for other tools.

The shapes in between: `verdict.py` (a kind's word), `here.py` (a node in its surroundings), `memo.Local` (what was
decided of it), `answers.py` (what every door shows). Rules that several steps ask: `goahead.py` (a person's word) and
`holds.py` (what keeps a node from every runner). Asked of one node: `claims.py`, inside an append, whether it may be
taken; of a stream: `timeline.py` the lines to read, and `observed.py` those of a repository's. `wayback.py` has the way
back into the session of the agent that a need comes from, `runners.py` how a plan's runner is shown.

What a sweep looks at is in `watching.py`, what of it is recorded in `news.py` (that there is no CI not at once:
`dwell.py`). Of a graph of issues `frontier.py` says
where it stands and `issue_plan.py` makes a plan; `review.py` shows a review and makes the node that mends a finding;
`prune.py` says which worktrees may go.

Of a machine that others share `reservations.py` says which part a node may have of it now, `capacity.py` whether it has
room for one more agent. `branches.py` says whether what is seen of a plan's branch is news.

What a runner does is decided here and done in `runner/`: `schedule.py` what is launched, `adoption.py` what becomes of
an attempt that was found, `leases.py` which agents go on, `attempts.py` what became of one, `integration.py` what a
finished branch is, `landings.py` what is landed, `upstream.py` which merges on GitHub its branch needs first,
`glances.py` and `sweeps.py` when GitHub is to be looked at, `drift.py` what is said of a base that drifts away,
`cloud.py` what is handed to cloud agents, `creation.py` which issues are created and `private.py` what no issue may
hold, `quota.py` when agents may start after a limit of their account, `resume.py` whether one goes on in its session,
`troubles.py` what is not in order, `limits.py` when to stop. All sentences are in `wording/`;
`layout.py` has the board's columns.
"""
