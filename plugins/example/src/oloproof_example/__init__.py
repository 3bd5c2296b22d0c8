"""An outside plugin of oloproof: the system `keyword_router` and the evaluator `edit_distance`."""
