"""Hypothesis runs the same examples every time. `--hypothesis-profile=random` looks for others."""

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=60)
settings.register_profile("random", deadline=None, max_examples=2000)
settings.load_profile("fixed")
