"""What a plan may say, rule by rule: its header, each node, its steps, the edges between nodes, branch names.

Every rule yields Findings, which know the field they are about; `plan/validate.py` runs them and gives them places.
"""
