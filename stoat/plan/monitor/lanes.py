"""A supervisor's lanes, recycles, faults and stalls. What is heard again (by its time) changes nothing."""

from __future__ import annotations

from stoat.plan.monitor import wire
from stoat.plan.monitor.run import Lane, Recycle, Run, Stall, WorkerFault
from stoat.plan.monitor.wire import Event


def started(run: Run, event: Event) -> None:
    """lane_started: a pass begins, unless it is no newer than the one that the lane is on."""
    name = wire.lane(event)
    if name is None:
        return
    lane, at = run.lanes.setdefault(name, Lane(name)), wire.moment(event, "at")
    if lane.started_at is not None and (at is None or at <= lane.started_at):
        return
    # A finish that overtook its start is of this pass; an older one is of a pass before it.
    ended = at is not None and lane.finished_at is not None and lane.finished_at >= at
    first = lane.started_at is None and (ended or lane.finished_at is None)
    lane.passes += 0 if first and lane.passes else 1
    lane.uids, lane.started_at = wire.texts(event, "uids"), at
    if not ended:
        lane.status, lane.finished_at, lane.outcomes = "running", None, None


def finished(run: Run, event: Event) -> None:
    """lane_finished: the pass ends, unless it ended before the one that the lane is on began."""
    name = wire.lane(event)
    if name is None:
        return
    lane, at = run.lanes.setdefault(name, Lane(name)), wire.moment(event, "at")
    lane.passes = max(1, lane.passes)
    if at is not None and at < max(lane.started_at or "", lane.finished_at or ""):
        return
    lane.status = "crashed" if event.get("crashed") is True else "finished"
    lane.finished_at, lane.outcomes = at, wire.outcomes(event)


def worker_started(run: Run, event: Event) -> None:
    """worker_started: the process behind a lane."""
    name, process = wire.lane(event), wire.whole(event, "processId")
    if name is not None and process is not None:
        run.lanes.setdefault(name, Lane(name)).process_id = process


def recycled(run: Run, event: Event) -> None:
    """resource_recycled."""
    found = Recycle(wire.text(event, "resource") or "", wire.moment(event, "at"))
    if found not in run.recycles:
        run.recycles.append(found)
        run.recycles.sort(key=lambda one: one.at or "")


def faulted(run: Run, event: Event) -> None:
    """worker_faulted."""
    found = WorkerFault(
        wire.lane(event), wire.text(event, "fault") or "", wire.whole(event, "exitCode"),
        wire.text(event, "standardError"), wire.moment(event, "at"),
    )  # fmt: skip
    if not any((one.at, one.lane, one.fault) == (found.at, found.lane, found.fault) for one in run.worker_faults):
        run.worker_faults.append(found)
        run.worker_faults.sort(key=lambda one: one.at or "")


def stalled(run: Run, event: Event) -> None:
    """test_stalled."""
    uid = wire.text(event, "uid") or ""
    found = Stall(
        uid, wire.text(event, "displayName") or uid, wire.whole(event, "inFlightMs"), wire.lane(event),
        wire.whole(event, "processId"), wire.moment(event, "at"),
    )  # fmt: skip
    if not any((one.at, one.uid) == (found.at, found.uid) for one in run.stalls):
        run.stalls.append(found)
        run.stalls.sort(key=lambda one: one.at or "")
