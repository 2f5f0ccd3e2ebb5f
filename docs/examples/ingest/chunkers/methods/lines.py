"""Chunks that are the lines of the source, such as those of a transcript."""

from tokenizers import Tokenizer

from papergraph.ingest.chunkers.options import ChunkOptions, Method, Unit


class Lines:
    def chunk_indices(self, text: str) -> list[tuple[int, str]]:
        """Return the lines with text, each with its offset."""
        start, found = 0, []
        for line in text.splitlines(keepends=True):
            if line.strip():
                found.append((start, line.rstrip()))
            start += len(line)
        return found


def splitter(tokenizer: Tokenizer, options: ChunkOptions) -> Lines:
    return Lines()


CHUNKER = Method("lines", Unit.BLOCK, "an example", max_tokens=512, overlap_tokens=0, splitter=splitter)
