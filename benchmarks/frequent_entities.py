"""The entities that the most chunks of real PDFs name, found without a model, for people to rate.

Usage: python -m benchmarks.frequent_entities [FILE ...]

Without files, the PDFs of ``PAPERGRAPH_DATA/real_pdfs``. Shows each entity with one place where it stands; the result
keeps names and counts. Which are entities of the field, two raters say: see the README.
"""

import hashlib
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from benchmarks.common import data_folder, write_result
from ingest.chunkers import Chunker, ChunkOptions
from ingest.enrichments.entities.exclusions import called_functions, cited_people
from ingest.enrichments.entities.extraction import FoundEntity, find
from ingest.enrichments.prose import MASK, prose
from ingest.parsers import parse
from ingest.sources import Format, RawDocument
from papergraph.embedding import DEFAULT_NAME, load_tokenizer
from schema.ids import entity_key

N_SHOWN, CONTEXT = 50, 60


def main(paths: list[Path]) -> None:
    """Find, count, show and keep."""
    chunker = Chunker(load_tokenizer(DEFAULT_NAME), ChunkOptions.choose("default"))
    n_chunks = Counter[str]()
    papers, names, places = defaultdict[str, set[Path]](set), defaultdict[str, Counter[str]](Counter), dict[str, str]()
    for path in paths:
        for prose_of_chunk, found in _entities(path, chunker):
            n_chunks.update({entity_key(one.name) for one in found})
            for one in found:
                key = entity_key(one.name)
                papers[key].add(path)
                names[key][one.name] += 1
                context = prose_of_chunk[max(0, one.start - CONTEXT) : one.end + CONTEXT].replace(MASK, "_")
                places.setdefault(key, " ".join(context.split()))
    most = sorted(n_chunks, key=lambda key: (-n_chunks[key], key))[:N_SHOWN]
    for key in most:
        print(f"{n_chunks[key]:4} {names[key].most_common(1)[0][0]:40} {places[key]}", file=sys.stderr)
    entities = [
        {"name": names[key].most_common(1)[0][0], "chunks": n_chunks[key], "papers": len(papers[key])} for key in most
    ]
    write_result("frequent_entities", {"pdfs": len(paths), "distinct": len(n_chunks), "most frequent": entities})


def _entities(path: Path, chunker: Chunker) -> Iterable[tuple[str, list[FoundEntity]]]:
    """Return the prose of each chunk of a PDF, with the entities that it names."""
    data = path.read_bytes()
    document = parse(RawDocument(str(path), data, Format.PDF, hashlib.sha256(data).hexdigest()))
    spans = list(chunker.chunks(document))
    kinds = [document.sections[span.section].kind for span in spans]
    texts = [
        prose(span.text, section_kind=kind, kind=span.element.value if span.element else kind)
        for span, kind in zip(spans, kinds, strict=True)
    ]
    whole = [span.text for span in spans]
    return zip(texts, find(texts, people=cited_people(whole), functions=called_functions(whole)), strict=True)


if __name__ == "__main__":
    main([Path(one) for one in sys.argv[1:]] or sorted((data_folder() / "real_pdfs/pdf").glob("*.pdf")))
