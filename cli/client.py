"""Run a GraphQL operation for the command line: against the running server, or here when there is none."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

from papergraph.errors import Code, InputError, NotFoundError, PapergraphError, UnauthenticatedError

TIMEOUT_S = 300.0
"""The server ends what takes longer by itself; a pipeline that asks a language model takes a while."""

SEARCH = """
query ($input: SearchInput!, $explain: Boolean! = false, $save: Boolean! = false) {
  search(input: $input) {
    hits {
      rank score sectionPath passage outside
      chosen { marginal redundancy nearest nearestSimilarity rankBefore }
      legs { leg rank score query via @include(if: $explain) { label name } }
      explanation @include(if: $explain) { whyNotHigher standsFor places { step rank } via { label name } }
      paper { id key title year authors { name } }
      chunk { id text startChar endChar }
    }
    filter { filter passes unknown }
    selection { k objective lowerBound gap rho proven backend ms fallback }
    queries @include(if: $explain) { text origin }
    trace @include(if: $explain) {
      step options ms candidatesIn candidatesOut notes cypher { file parameters ms records }
    }
    run @include(if: $save)
  }
}
"""


ANSWER = """
subscription ($input: AskInput!) {
  answer(input: $input) {
    __typename
    ... on AnswerSources { sources { ...Source } }
    ... on AnswerDelta { text }
    ... on AnswerCited { citation { ...Cited } }
    ... on AnswerEnded {
      result {
        __typename
        ... on Answered {
          id degraded support
          dropped { text fault detail }
          usage { requests cached inputTokens outputTokens estimatedTokens cost }
        }
        ... on Answer {
          text grounded llmGenerated model
          citations { ...Cited }
          sources { ...Source }
        }
        ... on Refusal { reason message nearestEvidence { ...Source } }
      }
    }
  }
}
fragment Source on AnswerSource {
  number text instructions
  hit { score sectionPath paper { id key title year } chunk { id startChar endChar startPage } }
}
fragment Cited on AnswerCitation {
  number quote start end answerStart answerEnd claimStart claimEnd sectionPath page url chunkId paperId paperTitle
}
"""


def ask_server(url: str, operation: str, variables: Mapping[str, Any], *, key: str = "") -> dict[str, Any]:
    """Run an operation on a server, with a key where it asks for one, and return its data.

    Raises:
        PapergraphError: The server does not answer, or answers with an error.
    """
    headers = {"Content-Type": "application/json"} | ({"X-API-Key": key} if key else {})
    body = json.dumps({"query": operation, "variables": variables}).encode()
    request = urllib.request.Request(  # noqa: S310 the address is a loopback one that our own server left
        f"{url}/graphql", data=body, headers=headers
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        answer = _refusal(error)
    except (OSError, ValueError) as error:
        raise ServerUnavailableError(f"the server at {url} does not answer: {error}") from error
    return data_of(answer.get("data"), answer.get("errors"))


def follow_server(url: str, operation: str, variables: Mapping[str, Any], *, key: str = "") -> Iterator[dict[str, Any]]:
    """Follow a GraphQL subscription on a server by server-sent events; yields the data of each.

    Raises:
        PapergraphError: The server does not answer, or answers with an error.
    """
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    headers |= {"X-API-Key": key} if key else {}
    body = json.dumps({"query": operation, "variables": variables}).encode()
    request = urllib.request.Request(f"{url}/graphql", data=body, headers=headers)  # noqa: S310 as above
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310
            for line in response:
                if line.startswith(b"data:") and (told := line[5:].strip()):
                    answer = json.loads(told)
                    yield data_of(answer.get("data"), answer.get("errors"))
    except urllib.error.HTTPError as error:
        answer = _refusal(error)
        data_of(answer.get("data"), answer.get("errors"))
    except (OSError, ValueError) as error:
        raise ServerUnavailableError(f"the server at {url} does not answer: {error}") from error


def _refusal(error: urllib.error.HTTPError) -> dict[str, Any]:
    """Return an answer of another status than 200, if it is one of ours."""
    try:
        answer = json.load(error)
        if answer["errors"][0]["message"]:
            return dict(answer)
    except (OSError, ValueError, LookupError, TypeError):
        pass
    raise ServerUnavailableError(f"the server at {error.url} does not answer: {error}") from error


def data_of(data: dict[str, Any] | None, errors: list[Mapping[str, Any]] | None) -> dict[str, Any]:
    """Return an answer's data, or raise its first error as the error that it was on the other side."""
    if not errors:
        return data or {}
    message, extensions = errors[0]["message"], errors[0].get("extensions", {})
    match extensions.get("code"):
        case Code.BAD_USER_INPUT:
            raise InputError(message, field=extensions.get("field", ""))
        case Code.NOT_FOUND:
            raise NotFoundError("such thing:", message, field=extensions.get("field", ""))
        case Code.UNAUTHENTICATED | Code.FORBIDDEN:
            raise UnauthenticatedError(f"the server asks for a key: {message}; PAPERGRAPH_KEY holds the one to show")
    raise ServerUnavailableError(f"{message} (request {extensions.get('requestId')})")


class ServerUnavailableError(PapergraphError):
    """The server does not answer, or cannot at the moment."""

    code = Code.UNAVAILABLE
