"""Documents to graph: find and read files, parse them into sections, cut chunks, embed, write one paper at a time."""
