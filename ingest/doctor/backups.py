"""The check of daily backups: the one that was verified last is not too old."""

from datetime import UTC, datetime

from ingest.doctor.check import Check, Patient
from ingest.doctor.report import DoctorFinding
from schema.archive.schedule import OLDEST, last_verified


async def _old_backup(patient: Patient) -> list[DoctorFinding]:
    folder = patient.backups
    if folder is None or patient.is_new:
        return []
    last = last_verified(folder)
    if last is None:
        return [DoctorFinding(str(folder), "no backup was taken there and verified yet")]
    age = datetime.now(UTC) - last.taken
    if age > OLDEST:
        return [DoctorFinding(str(folder), f"the last backup that was verified is {age.days} days old")]
    return []


CHECK: Check = Check(
    "backup_age",
    "Daily backups of which none of the last two days was verified.",
    _old_backup,
    (),
    "keep papergraph serve running and read its log; or papergraph backup DIR, papergraph backups verify DIR",
    35,
)
