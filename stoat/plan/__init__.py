"""The vocabulary: ids, nodes, events by family, and the pure fold from events to state."""
