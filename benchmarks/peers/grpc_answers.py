"""A server of gRPC that answers each method with the same bytes, for the stand-ins beside it."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import grpc


def serve(services: Mapping[str, Mapping[str, bytes]]) -> None:
    """Print the port, and serve until the process is ended.

    Args:
        services: Answers by the names of services and their methods.
    """
    server = grpc.server(ThreadPoolExecutor(2))
    for service, answers in services.items():
        handlers = {name: grpc.unary_unary_rpc_method_handler(_always(told)) for name, told in answers.items()}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    server.wait_for_termination()


def _always(told: bytes) -> Callable[[bytes, grpc.ServicerContext], bytes]:
    return lambda request, context: told
