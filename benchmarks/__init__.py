"""Measurements that are run by hand; what they found is in README.md and results/."""
