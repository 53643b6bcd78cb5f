"""A library of books with an HTTP API, for the tests of Reader. It needs Python's standard library only.

    python3 -m bookserver [PORT]

It prints its URL. Without a port, it uses a free one, and ends when its standard input ends. The paths below /control/ are
for tests.
"""

import hashlib
import json
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PAGE = 5
TITLES = [
    ("Middlemarch", "George Eliot", 1871), ("Emma", "Jane Austen", 1815), ("Persuasion", "Jane Austen", 1817),
    ("Dracula", "Bram Stoker", 1897), ("Ulysses", "James Joyce", 1922), ("Walden", "Henry David Thoreau", 1854),
    ("Kim", "Rudyard Kipling", 1901), ("Villette", "Charlotte Bronte", 1853), ("Nostromo", "Joseph Conrad", 1904),
    ("The Trial", "Franz Kafka", 1925), ("Moby-Dick", "Herman Melville", 1851), ("Dubliners", "James Joyce", 1914),
]
BOOKS = [
    {"id": number, "title": title, "author": author, "year": year}
    for number, (title, author, year) in enumerate(TITLES, 1)
]
REVIEWS = [
    {"reader": "Ada", "stars": 5, "text": "I read it twice."},
    {"reader": "Ben", "stars": 3, "text": "Too long for a train."},
]
USER, PASSWORD = "ada", "engine"


def text_of(book):
    """The text of a book: 2 MB that differ in each line."""
    line = book["title"] + ", line %07d\n"
    return b"".join((line % number).encode() for number in range(2_000_000 // len(line % 0)))


class State:
    """What the server knows: tokens, received requests, and what tests have ordered."""

    def __init__(self):
        self.lock = threading.Lock()
        self.requests = []
        self.access, self.refresh = set(), set()
        # The number of bytes after which the next text breaks off, or stops until its client has gone.
        self.cut = self.hold = None

    def new_tokens(self):
        with self.lock:
            access, refresh = secrets.token_hex(16), secrets.token_hex(16)
            self.access.add(access)
            self.refresh.add(refresh)
            return {"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 3600}

    def use_refresh_token(self, token):
        """A refresh token works once."""
        with self.lock:
            if token not in self.refresh:
                return False
            self.refresh.remove(token)
            return True

    def take_order(self):
        with self.lock:
            order = self.cut, self.hold
            self.cut = self.hold = None
            return order


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    state = State()

    def do_GET(self):
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        parts = url.path.strip("/").split("/")
        if parts[0] == "control":
            return self.send(self.state.requests)
        self.record()
        if url.path == "/books":
            return self.send_page(int(query.get("page", ["1"])[0]))
        if url.path == "/search":
            return self.send_search(query.get("q", [""])[0])
        if url.path == "/loans":
            return self.send_loans()
        book = self.book(parts)
        if book is None:
            return self.refuse(404, "there is no such book")
        if len(parts) == 2:
            return self.send(book, cache="max-age=0")
        if parts[2:] == ["reviews"]:
            return self.send(REVIEWS, cache="max-age=600")
        if parts[2:] == ["text"]:
            return self.send_text(book)
        self.refuse(404, "there is no such page")

    def do_POST(self):
        url = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        fields = {name: values[0] for name, values in parse_qs(body).items()}
        if url.path.startswith("/control/"):
            return self.obey(url.path, parse_qs(url.query))
        self.record()
        if url.path == "/token":
            return self.send_token(fields)
        if url.path == "/revoke":
            with self.state.lock:
                self.state.access.discard(fields.get("token"))
                self.state.refresh.discard(fields.get("token"))
            return self.send({})
        self.refuse(404, "there is no such page")

    # Responses

    def send_page(self, page):
        books = BOOKS[(page - 1) * PAGE : page * PAGE]
        headers = {}
        if page * PAGE < len(BOOKS):
            headers["Link"] = f'</books?page={page + 1}>; rel="next"'
        self.send(books, headers, cache="max-age=600")

    def send_search(self, words):
        if not words:
            return self.refuse(400, "say what to search")
        found = [book for book in BOOKS if words.lower() in (book["title"] + " " + book["author"]).lower()]
        self.send(found, cache="max-age=60")

    def send_loans(self):
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if token not in self.state.access:
            return self.refuse(401, "sign in first", {"WWW-Authenticate": 'Bearer error="invalid_token"'})
        self.send([{"book": BOOKS[3], "due": "2030-05-01T00:00:00Z"}], cache="private, max-age=0")

    def send_token(self, fields):
        grant = fields.get("grant_type")
        if grant == "password" and (fields.get("username"), fields.get("password")) == (USER, PASSWORD):
            return self.send(self.state.new_tokens(), cache="no-store")
        if grant == "refresh_token" and self.state.use_refresh_token(fields.get("refresh_token")):
            return self.send(self.state.new_tokens(), cache="no-store")
        self.send({"error": "invalid_grant"}, status=400, cache="no-store")

    def send_text(self, book):
        content = text_of(book)
        tag = self.tag(content)
        first, status = 0, 200
        wanted = self.headers.get("Range", "")
        if wanted.startswith("bytes=") and self.headers.get("If-Range", tag) == tag:
            first, status = int(wanted.removeprefix("bytes=").split("-")[0]), 206
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(content) - first))
        self.send_header("Content-Disposition", f'attachment; filename="{book["title"]}.txt"')
        self.send_header("ETag", tag)
        self.send_header("Accept-Ranges", "bytes")
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        cut, hold = self.state.take_order()
        limit = cut or hold
        self.wfile.write(content[first : first + limit] if limit else content[first:])
        if hold:
            # Returns when the client has gone.
            self.connection.recv(1)
        if limit:
            self.close_connection = True

    def send(self, value, headers={}, status=200, cache="no-store"):
        body = json.dumps(value).encode()
        tag = self.tag(body)
        if status == 200 and self.command == "GET" and self.headers.get("If-None-Match") == tag:
            status, body = 304, b""
        self.send_response(status)
        if status != 304:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", tag)
        self.send_header("Cache-Control", cache)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, why, headers={}):
        self.send({"error": why}, headers, status)

    # Tests

    def record(self):
        names = {name: self.headers[name] for name in ("Range", "If-None-Match", "User-Agent") if name in self.headers}
        with self.state.lock:
            self.state.requests.append({"method": self.command, "path": self.path, "headers": names})

    def obey(self, path, query):
        with self.state.lock:
            if path == "/control/expire":
                self.state.access.clear()
            if path == "/control/cut":
                self.state.cut = int(query["bytes"][0])
            if path == "/control/hold":
                self.state.hold = int(query["bytes"][0])
        self.send({})

    @staticmethod
    def tag(body):
        return f'"{hashlib.sha256(body).hexdigest()[:16]}"'

    @staticmethod
    def book(parts):
        if len(parts) >= 2 and parts[0] == "books" and parts[1].isdigit() and 1 <= int(parts[1]) <= len(BOOKS):
            return BOOKS[int(parts[1]) - 1]
        return None

    def log_message(self, *_):
        pass


def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    if port:
        return server.serve_forever()
    # Tests end the server by the end of its standard input.
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


main()
