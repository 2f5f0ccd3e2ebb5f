"""A stand-in for the gRPC interface of Weaviate: it is healthy, and answers each search with one text.

It runs in the environment of weaviate-client, whose messages it uses: ``weaviate_stand_in.py TEXT`` prints its port.
"""

import sys

from grpc_answers import serve
from weaviate.proto.v1.v6300.v1 import properties_pb2, search_get_pb2

HEALTHY = b"\x08\x01"


def main() -> None:
    """Serve until the process is ended."""
    text = properties_pb2.Value(text_value=sys.argv[1])
    fields = properties_pb2.Properties(fields={"text": text})
    found = search_get_pb2.SearchResult(
        properties=search_get_pb2.PropertiesResult(non_ref_props=fields),
        metadata=search_get_pb2.MetadataResult(id="00000000-0000-4000-8000-000000000001", id_as_bytes=bytes(16)),
    )
    reply = search_get_pb2.SearchReply(results=[found]).SerializeToString()
    serve({"grpc.health.v1.Health": {"Check": HEALTHY}, "weaviate.v1.Weaviate": {"Search": reply}})


if __name__ == "__main__":
    main()
