"""What tests say of whole graphs."""

from papergraph.database import Database
from papergraph.ingest.doctor import examine


async def assert_healthy(database: Database) -> None:
    """Assert that the doctor finds nothing wrong."""
    report = await examine(database)
    assert report.healthy, "\n".join(
        f"{finding.check}: {fault.id} {fault.problem}" for finding in report.findings for fault in finding.examples
    )
