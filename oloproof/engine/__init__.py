"""Runs blocks of calls to adapters, in this process or in workers that can be killed."""
