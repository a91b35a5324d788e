"""`make bench`: the budgets of docs/architecture.md, each measured in this run and printed beside its budget."""
