"""A stand-in for the gRPC interface of Weaviate: it is healthy, and answers each search with one text.

It runs in the environment of weaviate-client, whose messages it uses: ``weaviate_stand_in.py TEXT`` prints its port.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
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
    methods = {
        "grpc.health.v1.Health": {"Check": HEALTHY},
        "weaviate.v1.Weaviate": {"Search": reply},
    }
    server = grpc.server(ThreadPoolExecutor(2))
    for service, answers in methods.items():
        handlers = {name: grpc.unary_unary_rpc_method_handler(_always(told)) for name, told in answers.items()}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    server.wait_for_termination()


def _always(told: bytes):
    return lambda request, context: told


if __name__ == "__main__":
    main()
