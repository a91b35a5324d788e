"""What a runner does about issues beside launching an agent on them: telling the agent, watching its pull request,
bringing merged work to the plan's branch."""
