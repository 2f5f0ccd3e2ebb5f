"""The check of memory: the file cache can hold the vector and full-text indexes."""

from ingest.doctor.check import Check, Patient
from ingest.doctor.report import DoctorFinding

GB = 1e9


async def _larger_than_memory(patient: Patient) -> list[DoctorFinding]:
    memory = patient.memory
    if memory is None or memory.fits:
        return []
    taken, left = memory.index_bytes / GB, memory.file_cache_bytes / GB
    return [DoctorFinding("indexes", f"they take {taken:.1f} GB, and {left:.1f} GB of memory are left for their files")]


CHECK: Check = Check(
    "index_memory",
    "Vector and full-text indexes that are larger than the memory left for them, so that searches read from the disk.",
    _larger_than_memory,
    (),
    "add memory, lower PAPERGRAPH_NEO4J_HEAP_MB or PAPERGRAPH_NEO4J_PAGE_CACHE_MB, or make smaller indexes: "
    "papergraph db compact --quantization scalar",
    36,
    is_warning=True,
)
