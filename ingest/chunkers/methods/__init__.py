"""The ways of cutting, a file each."""
