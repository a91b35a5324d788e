"""How a graph of GitHub issues is worked, as `stoat issues --help` teaches it."""

from __future__ import annotations

from stoat.derive.wording.later import ISSUES

LOOP = f"""\
A graph of GitHub issues as a plan that agents work.

\b
The loop:
  1. stoat frontier --repo OWNER/NAME --parent 42
     See where the graph stands. Heed its warnings: a blocker in words only gates nothing, a cycle never ends.
  2. stoat issues import PLAN --repo OWNER/NAME --parent 42
     Make it a plan. Repeat this whenever issues were filed, split or linked: only GitHub's changes are taken over.
  3. stoat approve PLAN/NODE
     Give the issues that agents may start on your go-ahead, once you have read them.
  4. stoat run-plan PLAN ~/code/project --watch
     Agents work what is ready and open pull requests.
  5. stoat needs PLAN
     Merge, answer, and close the parents whose sub-issues are all closed. A merge closes its issue, which frees what
     waited for it.
  6. stoat frontier again, until it says complete.

Later versions: {", ".join(ISSUES)}.
"""
