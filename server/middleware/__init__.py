"""HTTP middleware, in front of all interfaces."""
