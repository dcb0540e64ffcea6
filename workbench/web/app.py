"""The pages: log in, next sample, act on it, undo, my progress, health."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import uvicorn
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from workbench import __version__
from workbench.comparing.explained import shown_rows
from workbench.errors import (
    AmbiguousError,
    AwayError,
    ConflictError,
    InputError,
    LockedError,
    NotFoundError,
    StoreError,
    UsageError,
    WorkbenchError,
)
from workbench.model import Kind, Unit, letter
from workbench.reports import units
from workbench.reports.team import done_line, holds, lesson_text, letters_text, trainee_line
from workbench.reviewing.edits import Put
from workbench.stages import editing, intents, people, review
from workbench.stages.desk import Desk, Step, open_desk
from workbench.stages.resolve import may_settle, saw
from workbench.stages.review import Opened
from workbench.stages.training import admitted, lessons, standing
from workbench.stages.why import explain
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.text.figures import delta, many
from workbench.text.safe import clean, cut, name_of, templates, whole
from workbench.web import forms, page
from workbench.web.forms import Fields, Shown
from workbench.web.guard import ACT_WINDOW, ACTS, BODY, LOGIN_WINDOW, LOGINS, STATIC, Guard, Limit, Site

SAID = 1_000
"""Acts whose words are kept for the page that follows them."""

LONGEST_LINK = 40
"""Characters of the name of a sample that something was done with."""

HEALTH_SECONDS = 3
"""Seconds that the database has to answer /health."""

GONE = "the page is older than your session: look at it once more, then do it again"


@dataclass(frozen=True)
class Caller:
    """Who asks. `key` signs the forms that they are sent; `session` is empty for who came by a proxy.

    `settles`: others review too, and they may settle what differs.
    """

    desk: Desk
    key: bytes
    session: str
    settles: bool

    @property
    def root(self) -> str:
        """What the forms of their pages go to begins with it."""
        return "/resolve" if self.desk.resolves else ""

    @property
    def name(self) -> str:
        """The name on their reviews."""
        return self.desk.annotator


class Proxy(NamedTuple):
    """A proxy that people log in at: the header that names them, and the secret that it shows."""

    header: str
    secret: str


LONGEST_NAME = 200
"""Letters of a name by which failed logins are remembered."""

PROXY_SECRET = "x-workbench-secret"  # noqa: S105
"""The header in which a proxy sends its secret."""


Page = Callable[[Request, Caller], Awaitable[Response]]


class RefusedForm(NamedTuple):
    """A form that was not done, to be sent once more: why not, what it wanted, what changed meanwhile."""

    fields: Fields
    why: str = ""
    what: str = ""
    changes: Sequence[tuple[str, Unit | None, Unit | None]] = ()

    @property
    def said(self) -> dict[str, Markup]:
        """What the form said, without what a newer page has of its own."""
        own = {"form", "nonce", "kind", "queue", "presses", "sure"}
        return {name: value for name, value in _escaped(self.fields).items() if name not in own and value}


class Pages:
    """The pages of one dataset. `guest`: name and token of who may log in where nobody is named."""

    def __init__(
        self, store: Store, dataset: str | None, site: Site, guest: tuple[str, str], proxy: Proxy | None
    ) -> None:
        self._store, self._dataset, self._site = store, dataset, site
        self._guest, self._proxy = guest, proxy
        self._failed, self._acts = Limit(LOGINS, LOGIN_WINDOW), Limit(ACTS, ACT_WINDOW)
        self._one_login = asyncio.Lock()
        self._said: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._settling: dict[str, tuple[int, int]] = {}  # kept while one is at a sample: it takes long
        self._templates = templates("workbench.web")
        self._templates.globals |= {
            "page": page, "words": units, "many": many, "delta": delta, "shown_rows": shown_rows,
            "letter": letter, "trainee_line": trainee_line, "name_of": name_of, "tag": forms.tag,
            "proxy": proxy is not None, "excluding": intents.EXCLUDING,
        }  # fmt: skip

    def routes(self) -> list[BaseRoute]:
        """Every page; only log in, health and what pages are drawn with are open to strangers."""
        pages = {
            "/": self.home, "/next": self.next, "/s/{sample}": self.sample, "/me": self.me,
            "/lesson/{sample}": self.lesson, "/resolve": self.next, "/resolve/{sample}": self.sample,
        }  # fmt: skip
        acts = {
            "/logout": self.logout, "/act": self.act, "/undo": self.undo, "/resolve/act": self.act,
            "/resolve/undo": self.undo,
        }  # fmt: skip
        return [
            Route("/login", self.login_form, methods=["GET"]),
            Route("/login", self.login, methods=["POST"]),
            Route("/health", self.health),
            Mount(STATIC, StaticFiles(packages=[("workbench.web", "static")])),
            *(self._for(path, page) for path, page in pages.items()),
            *(self._for(path, act, takes_form=True) for path, act in acts.items()),
        ]

    # Who asks.

    def _for(self, path: str, handler: Page, *, takes_form: bool = False) -> Route:
        """A page for people who logged in; below /resolve for those who may settle what people differ in."""

        async def answer(request: Request) -> Response:
            request.state.route = path
            caller = await self._caller(request, path.startswith("/resolve"))
            if caller is None:
                elsewhere = request.headers.get("sec-fetch-site", "") in ("cross-site", "same-site")
                here = request.url.path if elsewhere else ""
                if path == "/" and not here:
                    return RedirectResponse("/login", 303)  # nothing is refused: so one comes in
                form = _escaped(await _fields(request)) if takes_form else {}
                typed = [text for name in ("surface", "text") if (text := form.get(name))]
                return self._page("login.html", 401, here=here, typed=typed)  # such a link brings no cookie
            request.state.person = caller.name
            return await handler(request, caller)

        return Route(path, answer, methods=["POST" if takes_form else "GET"])

    async def _caller(self, request: Request, resolves: bool) -> Caller | None:
        """Who asks, at their desk; None for a stranger. Raises HTTPException for who may not review here."""
        if self._proxy is None:
            session = request.cookies.get(self._site.cookie, "")
            key, name = session.encode(), ""
        else:
            names = request.headers.getlist(self._proxy.header)
            shown = request.headers.getlist(PROXY_SECRET)
            if len(names) != 1 or len(shown) != 1 or not forms.same(shown[0], self._proxy.secret):
                return None  # of two names one may be the browser's
            session, name = "", names[0].encode("latin-1").decode("utf-8", "replace")
            key = f"{self._proxy.secret} {name}".encode()
        if not session and not name:
            return None

        def sit_down(store: Store) -> Caller | None:
            known = name or people.who(store, session)
            if known is None:
                return None
            desk = replace(admitted(open_desk(store, self._dataset, known)), resolves=resolves)
            if resolves:
                people.check(store, known, "settle what others differ in")
            return Caller(desk, key, session, may_settle(store, desk.info, known))

        try:
            return await self._store.read(sit_down)
        except (NotFoundError, AmbiguousError):
            raise
        except UsageError as error:
            raise HTTPException(403, str(error)) from None

    async def _form(self, request: Request, caller: Caller) -> Fields:
        """The fields of a form. Raises HTTPException for one too many, or one that is too large."""
        if self._acts.full(caller.session or caller.name):
            raise HTTPException(429, f"more than {ACTS} acts in a second: wait a moment, then do it again")
        self._acts.add(caller.session or caller.name)
        return await _fields(request)

    # Logging in and out.

    async def login_form(self, request: Request) -> Response:
        """Ask for a name and a token."""
        request.state.route = "/login"
        return self._page("login.html", said="you are logged out" if "out" in request.query_params else "")

    async def login(self, request: Request) -> Response:
        """Begin a session."""
        request.state.route = "/login"
        if self._proxy is not None:
            return self._page("login.html", 401)
        fields = await _fields(request)
        name, token = fields["name"].strip(), fields["token"].strip()
        tried = f"person {name[:LONGEST_NAME]}", f"address {request.client.host if request.client else ''}"
        async with self._one_login:  # at a time, so that those of one moment count together
            if any(map(self._failed.full, tried)):
                refusal = f"{LOGINS} tries failed within 15 minutes: wait for as long, then log in again"
                return self._page("login.html", 429, said=refusal, name=name)
            try:
                secret = await self._store.write(people.log_in, name, token, self._guest)
            except WorkbenchError as error:
                return self._page("login.html", _status(error), said=_words(request, error), name=name)
            if secret is None:
                for name_or_address in tried:
                    self._failed.add(name_or_address)
                request.state.error = "LoginFailed"
                wrong = "this name and token do not fit together: ask an owner for a new token"
                return self._page("login.html", 401, said=wrong, name=name)
        request.state.person = name
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            self._site.cookie, secret, max_age=int(people.HOURS * 3600), path="/", httponly=True,
            secure=self._site.secure, samesite="strict",
        )  # fmt: skip
        return answer

    async def logout(self, request: Request, caller: Caller) -> Response:
        """End the session."""
        fields = await self._form(request, caller)
        if not forms.same(forms.tag(caller.key, "logout"), fields["form"]):
            raise HTTPException(403, GONE)
        await self._store.write(people.log_out, caller.session)
        answer = RedirectResponse("/login?out", 303)
        answer.delete_cookie(
            self._site.cookie, path="/", httponly=True, secure=self._site.secure, samesite="strict"
        )
        return answer

    # Looking.

    async def home(self, request: Request, caller: Caller) -> Response:
        """Where one comes in; an owner who only looks takes no place from those who review."""
        desk = caller.desk
        looks = desk.info.overlap and not await desk.refusal("assign samples")
        if looks and await self._store.read(desk.find_next) is None:
            return RedirectResponse("/me", 303)
        return await self.next(request, caller)

    async def next(self, request: Request, caller: Caller) -> Response:
        """Go to the next sample to decide."""
        return await self._go_on(caller, None, Fields(request.query_params)["did"])

    async def _go_on(self, caller: Caller, after: int | None, did: str) -> Response:
        desk = caller.desk
        self._settling.pop(caller.name, None)
        number = await self._store.read(desk.find_next, after) or await desk.take_next()
        if number is None:
            return self._page("done.html", caller=caller, said=self._told(caller, did))
        return self._to(caller, number, did=did, queue=_given(caller, number))

    def _to(self, caller: Caller, sample_id: int, **more: str) -> Response:
        """Send the browser to a sample; what is not empty goes into the address."""
        query = urlencode({name: value for name, value in more.items() if value})
        return RedirectResponse(f"{caller.root or '/s'}/{sample_id}{'?' if query else ''}{query}", 303)

    async def sample(self, request: Request, caller: Caller) -> Response:
        """A sample as it stands now. One that the queue did not give is picked by hand."""
        number, asked = forms.number(request.path_params["sample"]), Fields(request.query_params)
        request.state.sample = number
        picked = await self._picks(caller, number, asked["queue"])
        opened = await self._open(caller, number, picked=picked)
        kind = forms.kind_of(asked["kind"], opened)
        message = intents.kept_back(opened) or self._told(caller, asked["did"])
        doubts = editing.doubts(opened, kind) if "ask" in asked else []
        if doubts:
            message = (
                f"{', '.join(doubts)}. Press once more to {'settle' if caller.root else 'accept'} anyway."
            )
        return await self._show(
            caller, opened, kind, picked=picked, said=message, unit=asked["unit"], sure=bool(doubts),
            opens=asked["opens"],
        )  # fmt: skip

    async def _picks(self, caller: Caller, number: int, given: str = "") -> bool:
        """Whether a person chose a sample by its address: the queue did not give it, nor would it now."""
        by_queue = forms.same(_given(caller, number), given)
        return not by_queue and await self._store.read(caller.desk.find_next) != number

    async def lesson(self, request: Request, caller: Caller) -> Response:
        """The known answer of a training sample that this person decided."""
        number = forms.number(request.path_params["sample"])
        request.state.sample = number
        own_lessons = await self._store.read(lessons, caller.desk.info, caller.name, number)
        if not own_lessons:
            raise NotFoundError("there is no such training sample, or you have not decided it")
        lines, stored = lesson_text(own_lessons).splitlines(), await caller.desk.texts(number)
        message = self._told(caller, request.query_params.get("did", ""))
        return self._page(
            "lesson.html", caller=caller, lines=lines, lessons=own_lessons, stored=stored, said=message
        )

    def _told(self, caller: Caller, action: str) -> str:
        """What the act did that led to a page."""
        return self._said.get((caller.name, action), "")

    async def _open(self, caller: Caller, number: int, *, picked: bool) -> Opened:
        """A sample of this dataset. Raises NotFoundError for any other."""
        desk = caller.desk
        opened = await self._store.read(intents.open_at, desk, number, picked=picked)
        if opened.stored.dataset_id != desk.info.id:
            raise NotFoundError("there is no such sample")
        return await intents.noted(self._store, opened)

    async def _show(
        self, caller: Caller, opened: Opened, kind: Kind, *, picked: bool, status: int = 200,
        said: str = "", unit: str = "", opens: str = "", sure: bool = False, again: RefusedForm | None = None,
    ) -> Response:  # fmt: skip
        shown, held, why = Shown.of(opened, picked=picked), await caller.desk.held(opened.sample_id), None
        if kind in opened.causes and not opened.over:
            why = await self._store.read(explain, opened.sample_id, caller.name, kind=kind)
        facts = [*([f"◷ {holds(held)}"] if held else []), *page.facts_of(opened, kind)]
        return await asyncio.to_thread(
            self._page, "review.html", status, caller=caller, opened=opened, kind=kind, said=said,
            title=name_of(opened.sample.id, opened.stored.question), facts=facts, why=why, sure=sure,
            again=again, chosen=page.chosen(opened, kind, unit), signed=shown.signed(caller.key), opens=opens,
            letters=letters_text(opened, kind), queue="" if picked else _given(caller, opened.sample_id),
            progress=await self._how_far(caller), decided=intents.before_accept(opened, kind) == "decided",
        )  # fmt: skip

    async def _how_far(self, caller: Caller) -> str:
        """How far all are and this person, in their training or with what is to be settled."""
        desk = caller.desk
        if desk.resolves:
            if caller.name not in self._settling:
                self._settling[caller.name] = await desk.settling()
            return "{:,} settled by you · {:,} left".format(*self._settling[caller.name])
        if desk.trainee and not desk.trainee.by:
            return trainee_line(desk.trainee)
        return done_line(*await desk.standing())

    async def me(self, request: Request, caller: Caller) -> Response:
        """How far this person and everybody are."""
        desk = caller.desk
        progress, pace = await desk.progress(), await desk.pace()
        settling = await desk.settling() if caller.settles else None
        trainee = desk.trainee or await self._store.read(standing, desk.info, caller.name)
        return self._page(
            "me.html", caller=caller, progress=progress, pace=pace, settling=settling, trainee=trainee
        )

    async def health(self, request: Request) -> Response:
        """Whether the database answers, and is still where it was; no data."""
        request.state.route = "/health"
        try:
            self._store.check_file()
            async with asyncio.timeout(HEALTH_SECONDS):
                await self._store.read(find_dataset, self._dataset)
        except (WorkbenchError, TimeoutError):
            return JSONResponse({"ok": False}, 503)
        return JSONResponse({"ok": True, "version": __version__})

    # Acting.

    async def act(self, request: Request, caller: Caller) -> Response:
        """Write what a person wants of a sample, then show it or go on; offer again what is not written."""
        fields = await self._form(request, caller)
        request.state.what = forms.wanted(fields)[0][:20]
        shown = forms.shown_of(fields["form"], caller.key)
        if shown is None:
            return await self._of_before(caller, fields)
        request.state.sample = shown.sample_id
        opened = await self._open(caller, shown.sample_id, picked=shown.picked)
        kind = forms.kind_of(fields["kind"], opened)
        try:
            return await self._write(caller, opened, kind, fields, shown)
        except ConflictError as error:
            request.state.error = "ConflictError"
            opened = await self._open(caller, shown.sample_id, picked=shown.picked)
            before = replace(opened, state=await self._store.read(review.state_at, opened, shown.seq))
            what = await asyncio.to_thread(forms.told, fields, before, kind, shown)
            changes = forms.changes(before.units(kind), opened.units(kind))
            again = RefusedForm(fields, str(error), what, changes)
            return await self._show(caller, opened, kind, picked=shown.picked, status=409, again=again)
        except StoreError as error:
            return self._not_saved(request, fields, error)
        except InputError as error:
            return await self._show(
                caller, opened, kind, picked=shown.picked, status=422, said=str(error),
                unit=forms.wanted(fields)[2], again=RefusedForm(fields),
            )  # fmt: skip

    def _not_saved(self, request: Request, fields: Fields, error: StoreError) -> Response:
        """Why the database refused an act or an undo, and a button that sends the same once more."""
        why = f"not saved: {_words(request, error)}"
        retry = _escaped(fields)
        return self._page("message.html", _status(error), said=why, retry=retry, to=request.url.path)

    async def _of_before(self, caller: Caller, fields: Fields) -> Response:
        """Write nothing of a form of another session; offer again what it said, on the sample as it is."""
        number = forms.number(fields["form"].partition(".")[0])
        try:
            picked = await self._picks(caller, number)
            opened = await self._open(caller, number, picked=picked)
        except WorkbenchError:
            raise HTTPException(403, GONE) from None
        kind = forms.kind_of(fields["kind"], opened)
        what = forms.told(fields, opened, kind, Shown.of(opened, picked=picked))
        return await self._show(
            caller, opened, kind, picked=picked, status=403, again=RefusedForm(fields, GONE, what)
        )

    async def _write(
        self, caller: Caller, opened: Opened, kind: Kind, fields: Fields, shown: Shown
    ) -> Response:
        what, _, unit = forms.wanted(fields)
        action = forms.action_of(fields)
        changed = shown.seq != opened.state.seq or shown.seen != forms.fingerprint(opened)
        if changed and not await self._store.read(review.is_stored, action):
            below = shown.seq == opened.state.seq  # no decision came in between
            what = "the text, the suggestions or the policy" if below else "this sample"
            what = "a review of this sample" if below and opened.over else what
            raise ConflictError(f"{what} was changed meanwhile; the sample is shown as it is now")
        if what == "accept" and not changed:
            stop = intents.before_accept(opened, kind)
            if stop == "decided":
                return await self._go_on(caller, opened.sample_id, "")
            if stop == "empty":
                raise InputError("no units yet: add one, or say that there are none")
            left = opened.over.open(opened.units(kind)) if opened.over else []
            if stop == "doubts" and not left and fields["sure"] != "1":  # what is left is refused below
                return self._to(caller, opened.sample_id, kind=kind, ask="1", queue=fields["queue"])
        if changed:
            said = "saved"  # the answer to an earlier try was lost
        elif what == "names" and opened.over:
            opened = await self._store.write(saw, opened, action, named=True)
            said = letters_text(opened, kind)
        elif (intent := await asyncio.to_thread(forms.intent_of, fields, opened, kind, shown)) is None:
            said = "so it is already"
        else:
            intent = replace(intent, action=action)
            opened, edit = await intents.act(caller.desk, opened, intent, forms.effort_of(shown, fields))
            accepted = what in ("accept", "none") and edit is not None
            done = page.outcome(opened, kind) if accepted else "" if edit else ": so it is already"
            others = await caller.desk.decided_too(opened.sample_id) if intent.leaves else ""
            said = f"{cut(intent.what, forms.LONGEST_TOLD)}{done}{' · ' if others else ''}{others}"
            if intent.adds and isinstance(edit, Put):
                unit = edit.units[0].id
            if intent.goes:
                unit = page.next_open(opened, kind, unit)
        return await self._after(caller, opened, kind, fields, action, said, unit)

    async def _after(
        self, caller: Caller, opened: Opened, kind: Kind, fields: Fields, action: str, said: str, unit: str
    ) -> Response:
        """The sample again after an act, at a unit; the next one where it is done with."""
        self._keep(caller, action, said)
        if fields["do"] not in ("accept", "none", "skip", "exclude"):
            return self._to(caller, opened.sample_id, kind=kind, unit=unit, did=action, queue=fields["queue"])
        if (following := intents.open_kind(opened)) is not None:
            return self._to(caller, opened.sample_id, kind=following, did=action, queue=fields["queue"])
        if caller.desk.info.training_of:
            learned = await self._store.read(lessons, caller.desk.info, caller.name, opened.sample_id)
            if learned:
                return RedirectResponse(f"/lesson/{opened.sample_id}?did={action}", 303)
        self._keep(caller, action, _with_links(opened, kind, said))
        return await self._go_on(caller, opened.sample_id, action)

    def _keep(self, caller: Caller, action: str, message: str) -> None:
        self._said[caller.name, action] = message
        if len(self._said) > SAID:
            self._said.popitem(last=False)

    async def undo(self, request: Request, caller: Caller) -> Response:
        """Take back the newest act, or restore it, and go where it was."""
        fields = await self._form(request, caller)
        shown = forms.shown_of(fields["form"], caller.key)
        if shown is None and not forms.same(forms.tag(caller.key, "undo"), fields["form"]):
            return await self._of_before(caller, fields)
        step: Step = "redo" if fields["do"] == "redo" else "undo"
        request.state.what = step
        desk = caller.desk
        action = forms.action_of(fields)
        desk.steps[step] = action
        try:
            moved = await desk.store.write(desk.step, step)
        except StoreError as error:
            return self._not_saved(request, fields, error)
        if moved is None:
            self._keep(caller, action, f"nothing to {step}")
            if shown is None:
                return RedirectResponse(f"{caller.root or '/next'}?did={action}", 303)
            again = {"kind": fields["kind"], "did": action, "queue": fields["queue"]}
            return self._to(caller, shown.sample_id, **again)
        request.state.sample = moved.sample_id
        self._settling.pop(caller.name, None)
        word = "undone" if step == "undo" else "done again"
        self._keep(caller, action, f"{word}: {cut(moved.words, forms.LONGEST_TOLD)}")
        where = replace(caller, desk=replace(desk, resolves=moved.resolves))
        return self._to(where, moved.sample_id, kind=moved.kind or "", unit=moved.unit, did=action)

    # Drawing.

    def _page(self, template: str, code: int = 200, /, **values: Any) -> Response:
        usual: dict[str, Any] = dict.fromkeys(("caller", "said", "name", "here", "typed", "retry", "to"), "")
        usual |= {"code": code, "nonce": secrets.token_hex(8)}  # no two pages are the same
        text = self._templates.get_template(template).render(usual | values)
        return HTMLResponse(text.encode("utf-8", "replace"), code)

    async def failed(self, request: Request, error: Exception) -> Response:
        """A page that says what went wrong; of an error of our own the log names the kind and the place."""
        request.state.error = type(error).__name__
        if isinstance(error, WorkbenchError):
            return self._page("message.html", _status(error), said=_words(request, error))
        if isinstance(error, HTTPException):
            why = "there is no such page" if error.status_code == 404 else error.detail
            answer = self._page("message.html", error.status_code, said=why)
            answer.headers.update(error.headers or {})  # the methods that a page has
            return answer
        why = "the server made an error of its own; what it shows as saved is saved"
        return self._page("message.html", 500, said=why)


def _status(error: WorkbenchError) -> int:
    if isinstance(error, NotFoundError):
        return 404
    if isinstance(error, ConflictError):
        return 409
    return 400 if isinstance(error, UsageError) else 422 if isinstance(error, InputError) else 503


def _with_links(opened: Opened, kind: Kind, done: str) -> Markup:
    """What was done with a sample that one leaves: its name leads back to it, and a key to its Why."""
    name, address = name_of(opened.sample.id, opened.stored.question), f"/s/{opened.sample_id}?kind={kind}"
    why = Markup(' · <a href="{}&amp;opens=w" data-key="w">Why <kbd>w</kbd></a>').format(address)
    link = Markup('<a href="{}"><bdi>{}</bdi></a> {}').format(
        address, clean(cut(name, LONGEST_LINK)), clean(done)
    )
    return link + why if kind in opened.causes and not opened.over else link


def _words(request: Request, error: WorkbenchError) -> str:
    """What a page says of an error. Where the database is, and who asks it, the log alone says."""
    request.state.error = type(error).__name__
    if not isinstance(error, AwayError) or isinstance(error, LockedError):
        return str(error)
    request.state.error += f": {error}"
    return "the database cannot be reached at the moment"


def _given(caller: Caller, sample_id: int) -> str:
    """Shows that the queue gave a sample to this person."""
    return forms.tag(caller.key, f"queue {sample_id}")[:24]


def _escaped(fields: Fields) -> dict[str, Markup]:
    """As it was typed: nothing in it is made visible."""
    return {name: Markup.escape(value) for name, value in fields.items()}


async def _fields(request: Request) -> Fields:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY:
            raise HTTPException(413, f"this form has more than {BODY:,} bytes: nothing was done")
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=5_000)
    except ValueError:
        raise HTTPException(400, "this is no form") from None
    return Fields((name, whole(value)) for name, value in pairs)


def make_app(
    store: Store, dataset: str | None, site: Site, log: Callable[[str], object],
    annotator: str, proxy: Proxy | None,
) -> tuple[ASGIApp, tuple[str, str]]:  # fmt: skip
    """The application that a server runs, and its guest (`people.let_in`)."""
    guest = people.let_in(store, annotator)
    pages = Pages(store, dataset, site, guest, proxy)
    errors: Mapping[Any, Any] = dict.fromkeys((HTTPException, WorkbenchError, Exception), pages.failed)
    return Guard(Starlette(routes=pages.routes(), exception_handlers=errors), site, log), guest


def check_people(store: Store, proxy: Proxy | None, elsewhere: str) -> None:
    """Raise UsageError where nobody could log in: by a proxy, or from `elsewhere`, if given."""
    why = "--proxy-user names people" if proxy else elsewhere
    if why and not (people.people(store) if proxy else people.can_log_in(store)):
        raise UsageError(f"{why}: workbench person add NAME first")


def listen(host: str, port: int) -> socket.socket:
    """A socket for `run`; OSError where the address cannot be had.

    Its connections send at once: else the body of an answer waits 40 ms until its head is confirmed.
    """
    listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def run(app: ASGIApp, listening: socket.socket, *, behind_proxy: bool) -> None:
    """Answer on a socket until somebody stops it. Behind a proxy the address is the one that it tells."""
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, ws="none", lifespan="off",
        proxy_headers=behind_proxy, timeout_graceful_shutdown=10, h11_max_incomplete_event_size=65_536,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listening])
