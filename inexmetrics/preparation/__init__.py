"""Preparations of runs before evaluation: terms that convert runs to prepared runs, in which the applied preparations are recorded."""
