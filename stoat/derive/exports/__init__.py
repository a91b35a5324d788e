"""A folded run as a document that other tools read. (As NDJSON it is its archive, as that is.)"""
