"""Checks of whole runs of the command, one module per topic. See run_checks.py."""
