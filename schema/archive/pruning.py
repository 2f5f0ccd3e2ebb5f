"""Prune archives: delete snapshots, and the objects that none lists any more."""

from collections.abc import Iterable
from pathlib import Path

from papergraph.progress import Progress, silent
from schema.archive.manifest import Manifest, manifest_paths
from schema.archive.objects import Objects


def prune(folder: Path, keep: Iterable[Path], *, progress: Progress = silent) -> tuple[int, int, int]:
    """Delete the snapshots that are not to be kept, then the objects that no snapshot lists.

    Args:
        folder: The archive; nothing may be backed up into it meanwhile (:func:`schema.archive.schedule.archive_lock`).
        keep: Manifests that stay.
        progress: Hears how far it is.

    Returns:
        How many snapshots and objects were deleted, and how many bytes that freed.

    Raises:
        ArchiveError: A manifest that stays is damaged; nothing is deleted then.
    """
    staying = set(keep)
    used = {name for path in staying for entry in Manifest.read(path).entries for name in entry.objects}
    going = [path for path in manifest_paths(folder) if path not in staying]
    for path in going:
        path.unlink()
    objects = Objects(folder)
    objects.clear_unfinished()
    n_objects = n_bytes = 0
    for name in list(objects.names()):
        if name not in used:
            n_bytes += objects.delete(name)
            n_objects += 1
            progress.step(f"{n_objects:,} objects deleted")
    return len(going), n_objects, n_bytes
