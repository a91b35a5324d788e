"""The board: pages and REST that only read, live by server-sent events. `create_app` is in `app.py`."""
