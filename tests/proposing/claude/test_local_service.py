"""The local service closes what it opened: a connection left over would fail whatever test runs next."""

from __future__ import annotations

import gc
import json
import socket
import warnings
from contextlib import closing

from tests.proposing.claude.faults import Faults
from tests.proposing.claude.server import Options, running

ASKED = json.dumps({"model": "claude-haiku-5-5", "system": "", "messages": [{"content": ""}]}).encode()
REQUEST = b"POST /v1/messages HTTP/1.1\r\nx-api-key: test\r\ncontent-length: %d\r\n\r\n" % len(ASKED) + ASKED


def test_a_stopped_service_leaves_no_connection_open() -> None:
    """Some are being accepted, some wait for the rest of a request, some for a slow answer."""
    gc.collect()
    with warnings.catch_warnings(record=True) as left:
        warnings.simplefilter("always", ResourceWarning)
        for sent in (b"", b"POST /v1/mess", REQUEST) * 5:
            with running(Options(faults=Faults(share=1.0, kinds=["slow"]))) as (_, url):
                port = int(url.rsplit(":", 1)[1])
                clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
                for client in clients:
                    client.sendall(sent)
            for client in clients:
                with closing(client):
                    client.settimeout(5)
                    assert ended(client)
        gc.collect()

    assert [] == [str(one.message) for one in left]


def ended(client: socket.socket) -> bool:
    """Whether the service closed a connection without an answer."""
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True
