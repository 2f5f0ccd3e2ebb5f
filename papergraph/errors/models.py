"""Errors of embedding models, of the language model, and of a service that requests are passed on to."""

from enum import StrEnum

from papergraph.errors.base import Code, PapergraphError
from papergraph.extras import install_command


class EmbeddingError(PapergraphError):
    """An embedding model cannot be loaded, or made a vector that must not be stored."""

    code = Code.UNAVAILABLE


class EmbeddingModelUnavailableError(EmbeddingError):
    """The store's vectors in use are of a model that cannot be loaded here."""

    public = (
        "The vectors of the store are now from an embedding model that this server cannot load. Its operator must set "
        "PAPERGRAPH_EMBEDDING_MODEL to a folder with that model."
    )

    def __init__(self, *, identity: str, cause: str) -> None:
        super().__init__(
            f"The vectors in the store are from {identity}, which cannot be loaded: {cause}. Set "
            "PAPERGRAPH_EMBEDDING_MODEL to a folder with that model and restart, or return to an available one: "
            "papergraph embeddings rollback, or embeddings switch if its vectors are deleted"
        )
        self.identity, self.cause = identity, cause


class ModelLibrariesMissingError(EmbeddingError):
    """A local model other than the packaged one needs the extra ``models``."""

    public = "The libraries of the server's model are missing. Its operator must install the extra models."

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the model {name} needs sentence-transformers and PyTorch, which are not installed: "
            f"{install_command('models')}. Without them, models run at a server: PAPERGRAPH_EMBEDDING_URL, "
            "PAPERGRAPH_RERANKER_URL"
        )
        self.name = name


class DeviceMissingError(EmbeddingError):
    """A local model is to run on a processor that this machine, or its PyTorch, does not have."""

    public = "The processor of the server's models is missing. Its operator must choose another one."

    def __init__(self, device: str, *, setting: str, there: str) -> None:
        super().__init__(
            f"{setting} is {device}, which PyTorch does not find here (it finds {there}): set it to auto or cpu, or "
            "install a PyTorch and driver for it, see https://pytorch.org/get-started"
        )
        self.device, self.setting = device, setting


class DeviceMemoryError(EmbeddingError):
    """One text alone does not fit into the memory of the processor that a local model runs on."""

    public = "The memory of the server's GPU is too small at present. Retry, or have its operator choose the CPU."

    def __init__(self, device: str, *, setting: str) -> None:
        super().__init__(
            f"the memory of {device} is too small for the model, even with one text at a time: end other programs "
            f"that use the GPU, choose a smaller model, or set {setting} to cpu"
        )
        self.device, self.setting = device, setting


class RemoteCodeError(EmbeddingError):
    """A local model consists of program code too, which nobody allowed to run."""

    public = "The server's model needs program code that its operator did not allow."

    def __init__(self, name: str, *, folder: str) -> None:
        super().__init__(
            f"the model {name!r} has program code of its own, which would run with all your rights. Read it in "
            f"{folder}; if you trust it, set PAPERGRAPH_EMBEDDING_TRUST_REMOTE_CODE={name}. Otherwise choose a model "
            "without code: papergraph models list"
        )
        self.name = name


class ModelDownloadError(PapergraphError):
    """A model was not downloaded; nothing of it is in use."""

    code = Code.UNAVAILABLE

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name} was not downloaded: {problem}")
        self.name, self.problem = name, problem


class ModelServerError(EmbeddingError):
    """A server of an embedding model or reranker cannot be reached, turns us away, or sent an unusable answer.

    ``status`` is that of its answer, None without one.
    """

    public = "The server of a model failed. Retry."

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ServedModelChangedError(EmbeddingError):
    """Another model answers at the address of the embedding server; none of its vectors was used.

    ``cosine`` compares the vectors of a probe text before and now.
    """

    public = "The server of the embedding model has another model now. Its operator must restore the former one."

    def __init__(self, *, name: str, url: str, cosine: float) -> None:
        super().__init__(
            f"{url} has another model under the name {name} now: the vector of a probe text has cosine {cosine:.4f} "
            "with the one before. None of its vectors was used. Serve the former model again, or re-embed with the "
            f"new one: papergraph embeddings switch {name}"
        )
        self.name, self.url, self.cosine = name, url, cosine


class LanguageModelError(PapergraphError):
    """A language model could not do what was asked."""

    code = Code.UNAVAILABLE
    public = "The language model failed. Retry, or use a mode or pipeline without one."
    briefly = "the language model failed"
    """What an asker reads of it where the work went on without the model."""


class ModelUnavailableError(LanguageModelError):
    """No language model is configured, it cannot be reached, or it turns us away.

    ``retry_after_s`` is what the server asked to wait, in seconds, where it did.
    """

    briefly = "no language model is at hand"

    def __init__(self, message: str, *, status: int | None = None, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after_s = status, retry_after_s


class ModelDeadlineError(LanguageModelError):
    """The language model did not answer in time, all attempts together."""

    code = Code.TIMEOUT
    briefly = "the language model did not answer in time"

    def __init__(self, what: str, limit_s: float) -> None:
        super().__init__(
            f"{what}: no usable answer within {limit_s:g} s. Raise PAPERGRAPH_LLM_TIMEOUT_S to wait longer."
        )
        self.what, self.limit_s = what, limit_s


class AnswerFault(StrEnum):
    """What is wrong with an answer of a language model."""

    EMPTY = "EMPTY"
    TRUNCATED = "TRUNCATED"
    TOO_LARGE = "TOO_LARGE"
    REFUSED = "REFUSED"
    NOT_JSON = "NOT_JSON"
    WRONG_SCHEMA = "WRONG_SCHEMA"
    NOT_A_COMPLETION = "NOT_A_COMPLETION"


class ModelAnswerError(LanguageModelError):
    """An answer that cannot be used; it was not stored."""

    briefly = "what the language model wrote cannot be used"

    def __init__(self, what: str, fault: AnswerFault, detail: str) -> None:
        super().__init__(f"{what}: {detail}")
        self.what, self.fault, self.detail = what, fault, detail


class BudgetSpentError(LanguageModelError):
    """The next call could cost more than what is left; it was not made."""

    briefly = "what may be spent on the language model is spent"

    def __init__(self, limit: str) -> None:
        super().__init__(f"The budget of {limit} does not allow another call. Completed work is kept.")
        self.limit = limit


class UpstreamError(PapergraphError):
    """The service that requests are passed on to, ``PAPERGRAPH_PROXY_URL``, cannot be asked.

    ``was_taken`` says whether it may have worked on the request nonetheless.
    """

    code = Code.UNAVAILABLE
    public = "The service that answers for this model is unavailable. Retry."

    def __init__(self, problem: str, *, was_taken: bool = True) -> None:
        super().__init__(f"The service at PAPERGRAPH_PROXY_URL is unavailable: {problem}.")
        self.problem, self.was_taken = problem, was_taken


class UpstreamDeadlineError(UpstreamError):
    """It did not answer in time."""

    code = Code.TIMEOUT
    public = "The service that answers for this model did not answer in time. Retry."

    def __init__(self, deadline_s: float) -> None:
        super().__init__(f"no answer within {deadline_s:g} s")
        self.deadline_s = deadline_s


class PromptError(PapergraphError):
    """A file of a prompt that cannot be used."""

    code = Code.BAD_USER_INPUT

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(f"{place}: {detail}")
        self.place, self.detail = place, detail
