"""A stand-in for the gRPC interface of Qdrant, which its Java client uses: it answers each query with one text.

It runs in the environment of qdrant-client, whose messages it uses: ``qdrant_stand_in.py TEXT`` prints its port.
"""

import sys

from grpc_answers import serve
from qdrant_client import grpc as messages


def main() -> None:
    """Serve until the process is ended."""
    payload = {"text": messages.Value(string_value=sys.argv[1])}
    point = messages.ScoredPoint(id=messages.PointId(num=1), payload=payload, score=1.0, version=1)
    reply = messages.QueryResponse(result=[point], time=0.0).SerializeToString()
    health = messages.HealthCheckReply(title="qdrant - vector search engine", version="1.18.0").SerializeToString()
    serve({"qdrant.Qdrant": {"HealthCheck": health}, "qdrant.Points": {"Query": reply}})


if __name__ == "__main__":
    main()
