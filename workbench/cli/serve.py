"""The command `serve`: review in a browser."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from workbench.cli.console import Context, databases, text_of
from workbench.errors import UsageError, disk_errors, to_install

LEAST_SECRET = 32
"""Characters that the secret of a proxy has at least."""


def serve(
    context: Context,
    host: str = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535)] = 8765,
    public_url: str = "",
    proxy_user: Annotated[str, Option(metavar="HEADER")] = "",
    proxy_secret_file: Path | None = None,
    log: Path | None = None,
) -> None:
    """Review in a browser: people without a terminal accept and correct units on pages of this server.

    It listens on this machine only. Another --host needs people with tokens (workbench person add) and an
    https --public-url, whose certificate a proxy in front of it has. docs/web.md has examples.
    """
    call = context.obj
    try:
        from workbench.web import app as pages, guard
    except ModuleNotFoundError as error:
        raise UsageError(f"serve needs the package {error.name!r}: {to_install('web')}") from error

    with databases()(call.db) as opened:  # who starts it need not be one of its people
        store, info = opened.store, opened.dataset(call.dataset, None)[0]
        store.check_writable(call.db)
        behind = _proxy(proxy_user, proxy_secret_file)
        proxy = behind and pages.Proxy(*behind)
        host = host.strip("[]")
        elsewhere = "" if host in guard.LOOPBACK else f"--host {host} can be reached from elsewhere"
        if elsewhere and not public_url.startswith("https://"):
            raise UsageError(f"{elsewhere}: give --public-url https://…")
        pages.check_people(store, proxy, elsewhere)
        guard.site_of(port, public_url)  # refuses a wrong one while nothing listens yet
        with disk_errors(UsageError, f"--host {host} --port {port}"):
            listening = pages.listen(host, port)  # who opens the address before the server runs waits for it
        port = listening.getsockname()[1]
        site = guard.site_of(port, public_url)
        address = public_url or f"http://{f'[{host}]' if ':' in host else host}:{port}"
        typer.echo(f"Open {address} in a browser. Ctrl-C stops.", err=True)
        app, guest = pages.make_app(store, info.name, site, _line_writer(log), call.annotator, proxy)
        if guest[1]:
            token = f"this token, which ends with the server: {guest[1]}"
            typer.echo(f"Log in as {guest[0]} with {token}", err=True)
        pages.run(app, listening, behind_proxy=bool(public_url))


def _proxy(header: str, file: Path | None) -> tuple[str, str] | None:
    if bool(header) != (file is not None):
        raise UsageError("--proxy-user and --proxy-secret-file go together")
    if file is None:
        return None
    secret = text_of(file).strip()
    if len(secret) < LEAST_SECRET:
        raise UsageError(f"{file}: a secret has {LEAST_SECRET} characters at least: openssl rand -hex 32")
    return header.lower(), secret


def _line_writer(log: Path | None) -> Callable[[str], object]:
    """What appends a line to the log, a file that only its owner reads."""
    if log is None:
        return lambda line: sys.stderr.write(line + "\n")
    with disk_errors(UsageError, str(log)):
        number = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(line: str) -> None:
        with suppress(OSError):  # a full disk must not stop a review
            os.write(number, f"{line}\n".encode())

    return write
