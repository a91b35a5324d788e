"""Stand-ins for the APIs of Anthropic, OpenAI and Google, so that the real claude, codex and gemini run on one machine.

    python -m tests.support.agent_apis anthropic --port 8901    (or openai, gemini; 0 takes a free port, and says which)

What an agent does says a script in its prompt, so a node's brief may bring it: `MOCK:<name>` for one of
`scripts.SCRIPTS`, or `MOCK-SCRIPT:[…]` with the turns themselves, JSON. One turn is one answer of the model:

    {"text": "Done."}                                    says it, and with that ends
    {"shell": "git commit …", "text": "First this."}     runs a command with whatever shell tool the program has
    {"mcp": "report", "input": {…}}                      calls a tool of the MCP server `stoat`
    {"tool": "Write", "input": {…}}                      calls a tool by its own name
    {"limit": "usage", "for": 7200, "window": "five_hour"}
    {"limit": "rate"}, {"limit": "overloaded"}, {"limit": "spend"}
    {"error": {"status": 500, "message": "…"}}           {"hang": 600, "text": "late"}
    … and "usage": {"input": 1000, "output": 100} beside any, tokens from which claude reckons its cost

The newest prompt with a script picks it; how many answers the conversation has had since says which turn it is. So
agents in parallel do not disturb each other, and one that is resumed, by a prompt without a script, goes on where it
was. A limit with `for` begins when it is first met, for everybody with that script, and is over so many seconds later.

How the programs are pointed here says `tests/agents_real/programs.py`.
"""
