"""The check of memory: the file cache can hold what searches read of the vector and full-text indexes."""

from ingest.doctor.check import Check, Patient
from ingest.doctor.report import DoctorFinding
from schema.indexes import quantization_of
from schema.model import SEARCHED_SHARE

GB = 1e9


async def _larger_than_memory(patient: Patient) -> list[DoctorFinding]:
    memory = patient.memory
    if memory is None:
        return []
    quantization = await quantization_of(patient.database)
    searched = memory.vector_bytes * SEARCHED_SHARE[quantization] + memory.fulltext_bytes
    if searched <= memory.file_cache_bytes:
        return []
    read, left = searched / GB, memory.file_cache_bytes / GB
    return [DoctorFinding("indexes", f"searches read {read:.1f} GB, and {left:.1f} GB of memory are left for files")]


CHECK: Check = Check(
    "index_memory",
    "Vector and full-text indexes that are larger than the memory left for them, so that searches read from the disk.",
    _larger_than_memory,
    (),
    "add memory, lower PAPERGRAPH_NEO4J_HEAP_MB or PAPERGRAPH_NEO4J_PAGE_CACHE_MB, or have searches read less: "
    "restore a backup into a new store with PAPERGRAPH_NEO4J_QUANTIZATION=scalar",
    36,
    is_warning=True,
)
