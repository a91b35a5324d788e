"""The runner: launches agents on what is ready, judges them by evidence, lands what they finished."""
