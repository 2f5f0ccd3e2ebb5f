"""Small articles that cite each other."""


def article(name: str, *cites: str, doi: str = "", text: str = "") -> str:
    """Return a small article that cites others, each given as ``doi:…`` or ``arXiv:…``."""
    meta = f'<article-id pub-id-type="doi">{doi}</article-id>' if doi else ""
    refs = "".join(f'<ref id="r{n}"><mixed-citation>{cited}</mixed-citation></ref>' for n, cited in enumerate(cites))
    marks = "".join(f' <xref ref-type="bibr" rid="r{n}">[{n}]</xref>' for n in range(len(cites)))
    return (
        f"<article><front><article-meta>{meta}<title-group><article-title>{name}</article-title></title-group>"
        f"</article-meta></front><body><sec><title>Work</title><p>On {name}{marks}. {text}</p></sec></body>"
        f"<back><ref-list>{refs}</ref-list></back></article>"
    )


OLD = article("Old", doi="10.1000/old")
NEW = article("New", "Old work. doi:10.1000/OLD", "Preprint. arXiv:2401.00001v2", "Nowhere.", doi="10.1000/new")
PREPRINT = "---\narxiv: 2401.00001\n---\n\n# Preprint\n\nWords of it.\n"
LATEST = article(
    "Latest", "doi:10.1000/new", "doi:10.48550/arXiv.2401.00001", "doi:10.1000/latest", doi="10.1000/latest"
)
PAPERS = {"old.xml": OLD, "new.xml": NEW, "preprint.md": PREPRINT, "latest.xml": LATEST}
