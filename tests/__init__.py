"""Tests and their shared code. This file makes the folder a package, which takes precedence over an installed package of the same name."""
