"""Archives of earlier forms, each written by the version that introduced it, are restored by this one."""

from pathlib import Path

import pytest

from papergraph.database import Database
from schema.archive.manifest import FORMAT, Manifest, chosen_manifest
from schema.archive.restore_over import restore_over
from schema.migrate import migrations, pending
from server.backup_operations import faults_of

pytestmark = pytest.mark.slow
ARCHIVES = sorted((Path(__file__).parents[1] / "archives").iterdir())


def test_there_is_an_archive_of_every_earlier_form():
    assert {Manifest.read(chosen_manifest(folder)).format for folder in ARCHIVES} >= set(range(1, FORMAT))


@pytest.mark.parametrize("folder", ARCHIVES, ids=lambda folder: folder.name)
async def test_an_archive_of_an_earlier_form_is_restored_and_migrated(database: Database, folder: Path, tmp_path: Path):
    manifest = Manifest.read(chosen_manifest(folder))

    await restore_over(database, folder, manifest, tmp_path / "points", examine=faults_of)  # drops the schema, too

    assert manifest.counts["papers"] == 2
    assert await pending(database, migrations()) == []
