"""The plain HTTP face: probes, and limits that hold before any of our code reads a request."""
