"""Screening of search results for systematic reviews."""
