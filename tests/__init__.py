"""Tests and what they share. This file makes them a package, before any of the same name that something installed brings."""
