/// RFC 9111, 3: the responses that are stored, and their stored form.
enum StoringRows {
    typealias Row = ConformanceRow

    static let all = statuses + directives + methods + fields + keys

    static let fresh = [("Cache-Control", "max-age=3600")]

    static let statuses: [Row] =
        [
            200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599, 201, 202, 403,
            405,
            414, 418, 451,
        ].flatMap { status -> [Row] in
            [
                .reuse(
                    "9111 §3 \(status) with explicit freshness is reused", fresh, status: status, from: .cache),
                .reuse(
                    "9111 §4.2 \(status) is not reused once it is stale", [("Cache-Control", "max-age=2")],
                    status: status, from: .server),
            ]
        } + [
            .reuse("9111 §3 401 is never stored", fresh, status: 401, from: .server),
            .reuse("9111 §3 407 is never stored", fresh, status: 407, from: .server),
            .reuse("9111 §3.3 206 to a request without a range is not stored", fresh, status: 206, from: .server),
            .reuse("9111 §3 416 is not stored", fresh, status: 416, from: .server),
            .reuse("9111 §5.3 201 with Expires is reused", [("Expires", "{3600}")], status: 201, from: .cache),
        ]

    private static func control(
        _ name: String, _ value: String, status: Int = 200, also headers: [(String, String)] = [],
        after wait: Double = 5, from source: Row.Source
    ) -> Row {
        .reuse(name, [("Cache-Control", value)] + headers, status: status, after: wait, from: source)
    }

    static let tag = [("ETag", "\"a\"")]

    static let directives: [Row] = [
        control("9111 §5.2.2.5 a response with no-store is not stored", "no-store", from: .server),
        control("9111 §5.2.2.5 no-store is case-insensitive", "No-StOrE", from: .server),
        control("9111 §5.2.2.5 no-store overrides max-age", "max-age=3600, no-store", from: .server),
        control(
            "9111 §5.2.2.5 no-store is recognized between semicolons", "max-age=3600, private; no-store; no-cache",
            from: .server),
        control(
            "9111 §5.2.2.4 no-cache is recognized before a semicolon", "max-age=3600, No-Cache ; max-age=5",
            from: .server),
        control(
            "9111 §5.2.2.5 no-store overrides Expires", "no-store", also: [("Expires", "{3600}")] + tag,
            from: .server),
        control(
            "9111 §5.2.2.5 no-store with a value counts as no-store", "no-store=\"a\", max-age=60", from: .server),
        control("9111 §5.2.2.4 no-cache is never used without revalidation", "max-age=3600, no-cache", from: .server),
        control("9111 §5.2.2.4 no-cache is case-insensitive", "max-age=3600, No-CaChE", from: .server),
        control(
            "9111 §5.2.2.4 no-cache with a validator is stored and revalidated", "no-cache", also: tag, from: .confirmed
        ),
        control(
            "9111 §5.2.2.4 no-cache is revalidated even if it is fresh", "max-age=3600, no-cache", also: tag,
            from: .confirmed),
        control(
            "9111 §5.2.2.4 no-cache with fields does not prevent reuse", "no-cache=\"a\", max-age=3600", from: .cache),
        control(
            "9111 §5.2.2.4 no-cache with an empty list counts as no-cache", "no-cache=\"\", max-age=3600", also: tag,
            from: .confirmed),
        control(
            "9111 §5.2.2.4 no-cache with and without fields counts as no-cache", "no-cache=\"a\", no-cache, max-age=60",
            also: tag,
            from: .confirmed),
        control("9111 §5.2.2.7 private is stored by a private cache", "private, max-age=3600", from: .cache),
        control(
            "9111 §5.2.2.7 private with fields is stored by a private cache", "private=\"a\", max-age=3600",
            from: .cache),
        control("9111 §5.2.2.9 public is stored", "public, max-age=3600", from: .cache),
        control(
            "9111 §5.2.2.2 must-revalidate is reused while it is fresh", "max-age=3600, must-revalidate", from: .cache),
        control(
            "9111 §5.2.2.2 must-revalidate is revalidated once it is stale", "max-age=2, must-revalidate", also: tag,
            from: .confirmed),
        control(
            "9111 §5.2.2.8 proxy-revalidate is reused while it is fresh", "max-age=3600, proxy-revalidate", from: .cache
        ),
        control(
            "9111 §5.2.2.3 must-understand with a known status overrides no-store",
            "must-understand, no-store, max-age=60", from: .cache),
        control(
            "9111 §5.2.2.3 must-understand with an unknown status is not stored", "must-understand, max-age=60",
            status: 299,
            from: .server),
        control(
            "9111 §5.2.2.3 must-understand with an unknown status and no-store is not stored",
            "must-understand, no-store, max-age=60", status: 499, from: .server),
        control("9111 §5.2.2.6 no-transform does not prevent reuse", "no-transform, max-age=60", from: .cache),
        control("8246 §2 immutable is reused while it is fresh", "max-age=3600, immutable", from: .cache),
        control(
            "8246 §2 immutable is revalidated once it is stale", "max-age=2, immutable", also: tag, from: .confirmed),
        control("8246 §2 immutable alone makes nothing fresh", "immutable", also: tag, from: .confirmed),
        .reuse(
            "9111 §5.4 Pragma in a response is ignored beside Cache-Control", fresh + [("Pragma", "no-cache")],
            from: .cache),
        .reuse(
            "9111 §5.4 Pragma with another value in a response is ignored", fresh + [("Pragma", "foo")], from: .cache),
        .reuse("9111 §5.5 Warning is ignored", fresh + [("Warning", "110 - \"stale\"")], from: .cache),
        .reuse(
            "9111 §3.5 a response to Authorization is reused for the same value", fresh,
            asking: [("Authorization", "A")],
            first: [("Authorization", "A")], from: .cache),
        .reuse(
            "9111 §3.5 a response to Authorization is not reused for another value", fresh,
            asking: [("Authorization", "B")], first: [("Authorization", "A")],
            from: .server),
        .reuse(
            "9111 §3.5 a response to Authorization is not reused without it", fresh, first: [("Authorization", "A")],
            from: .server),
        .reuse(
            "9111 §3.5 a response without Authorization is not reused with it", fresh, asking: [("Authorization", "A")],
            from: .server),
        .reuse(
            "9111 §4 a response without a Cookie is not reused for one", fresh, asking: [("Cookie", "a=b")],
            from: .server),
        .reuse(
            "9111 §4 the same Cookie in the request does not prevent reuse", fresh, asking: [("Cookie", "a=b")],
            first: [("Cookie", "a=b")], from: .cache),
        .reuse(
            "9111 §4.1 a Cookie counts if Vary names it", fresh + [("Vary", "Cookie")], asking: [("Cookie", "a=c")],
            first: [("Cookie", "a=b")], from: .server),
        .reuse(
            "9111 §3 an attachment is reused like anything else",
            fresh + [("Content-Disposition", "attachment; filename=a")], from: .cache),
    ]

    static let methods: [Row] = [
        Row(
            "9110 §9.3.2 a HEAD is served from a cached GET", .get(reply: fresh + [("Test", "1")]),
            .send("HEAD").after(5).from(.cache).is_(200).has("Test", "1").reads("")),
        Row(
            "9110 §9.3.2 a response to HEAD is not used for GET", .send("HEAD", reply: fresh),
            .get(reply: fresh).from(.server)),
        Row("9111 §4 GET is case-sensitive", .get(reply: fresh), .send("get", reply: fresh).from(.server)),
        Row(
            "9110 §9.3.7 a response to OPTIONS is not stored", .send("OPTIONS", reply: fresh),
            .send("OPTIONS", reply: fresh).from(.server)),
        Row(
            "9110 §9.3.3 a response to POST is not stored", .send("POST", reply: fresh),
            .send("POST", reply: fresh).from(.server)),
        Row(
            "9110 §9.3.3 a response to POST is not used for GET", .send("POST", reply: fresh),
            .get(reply: fresh).from(.server)),
        Row(
            "9110 §9.3.3 a response to POST is used for GET if its Content-Location is the URL",
            .send("POST", reply: fresh + [("Content-Location", "/a")], body: "posted"),
            .get().from(.cache).reads("posted")),
        Row(
            "9110 §9.3.3 an empty Content-Location is the URL itself",
            .send("POST", reply: [("Expires", "{3600}"), ("Content-Location", "")], body: "posted"),
            .get().from(.cache).reads("posted")),
        Row(
            "9110 §9.3.3 a response to POST with another Content-Location is not used for GET",
            .send("POST", reply: fresh + [("Content-Location", "/b")]), .get(reply: fresh).from(.server)),
        Row(
            "9110 §9.3.3 a response to POST without explicit freshness is not used for GET",
            .send("POST", reply: [("Content-Location", "/a"), ("Last-Modified", "{-10000}")]),
            .get(reply: fresh).from(.server)),
        Row(
            "9110 §9.3.4 a response to PUT is not stored",
            .send("PUT", reply: fresh + [("Content-Location", "/a")]), .get(reply: fresh).from(.server)),
    ]

    private static func stored(_ name: String, _ value: String) -> Row {
        Row(
            "9111 §3.1 \(name) is stored", .get(reply: fresh + [(name, value)]).has(name, value),
            .get().after(5).from(.cache).has(name, value))
    }

    private static func notStored(_ name: String, _ value: String) -> Row {
        Row(
            "9111 §3.1 \(name) is not stored", .get(reply: fresh + [(name, value)]).has(name, value),
            .get().after(5).from(.cache).lacks(name))
    }

    static let fields: [Row] =
        [
            ("Test-Header", "1"), ("X-Test-Header", "1"), ("Content-Foo", "1"), ("X-Content-Foo", "1"),
            ("Content-Encoding", "foo"), ("Content-Location", "/foo"), ("Content-MD5", "rL0Y20zC+Fzt72VPzMSk2A=="),
            ("Content-Range", "foo"), ("Content-Security-Policy", "default-src 'self'"), ("Content-Type", "text/plain"),
            ("Clear-Site-Data", "cookies"), ("ETag", "\"abcdef\""), ("Public-Key-Pins", "a"),
            ("X-Frame-Options", "deny"),
            ("X-XSS-Protection", "1"), ("Strict-Transport-Security", "max-age=1"), ("WWW-Authenticate", "Basic"),
            ("Last-Modified", "{-1000}"), ("Content-Length", "8"), ("Link", "<a>; rel=b"),
            ("Set-Cookie", "a=b"), ("Set-Cookie2", "a=b"),
        ].map {
            $0.0 == "Last-Modified"
                ? Row(
                    "9111 §3.1 Last-Modified is stored", .get(reply: fresh + [$0]), .get().from(.cache).has($0.0, $0.1))
                : stored($0.0, $0.1)
        }
        + [
            ("Connection", "x"), ("Keep-Alive", "timeout=5"), ("Proxy-Authenticate", "Basic"),
            ("Proxy-Authentication-Info", "a"), ("Proxy-Authorization", "a"), ("Proxy-Connection", "a"), ("TE", "a"),
            ("Trailer", "a"), ("Transfer-Encoding", "a"), ("Upgrade", "a"),
        ].map { notStored($0.0, $0.1) } + [
            Row(
                "9111 §3.1 fields that Connection names are not stored",
                .get(reply: fresh + [("Connection", "a, B"), ("a", "1"), ("b", "2"), ("c", "3")]),
                .get().from(.cache).lacks("a").lacks("b").has("c", "3")),
            Row(
                "9111 §5.2.2.4 a field that no-cache names is not stored",
                .get(reply: [("Cache-Control", "no-cache=\"a\", max-age=60"), ("a", "1"), ("b", "2")]),
                .get().from(.cache).lacks("a").has("b", "2")),
            Row(
                "9111 §5.2.2.4 several fields that no-cache names are not stored",
                .get(reply: [("Cache-Control", "no-cache=\"A, b\", max-age=60"), ("a", "1"), ("b", "2"), ("c", "3")]),
                .get().from(.cache).lacks("a").lacks("b").has("c", "3")),
            Row(
                "9111 §5.2.2.4 no-cache also names a field without quotes",
                .get(reply: [("Cache-Control", "no-cache=a, max-age=60"), ("a", "1"), ("b", "2")]),
                .get().from(.cache).lacks("a").has("b", "2")),
            Row(
                "9111 §5.2.2.7 fields that private names are stored by a private cache",
                .get(reply: [("Cache-Control", "private=\"a\", max-age=60"), ("a", "1")]),
                .get().from(.cache).has("a", "1")),
            Row(
                "9110 §5.3 several fields of a name keep their order",
                .get(reply: fresh + [("a", "1"), ("b", "x"), ("A", "2")]), .get().from(.cache).has("a", "1, 2")),
            Row(
                "9110 §15 the status is stored", .get(reply: fresh, status: 404, body: "no"),
                .get().from(.cache).is_(404).reads("no")),
            Row("9111 §4 the body is stored", .get(reply: fresh, body: "hello"), .get().from(.cache).reads("hello")),
            Row("9111 §4 an empty body stays empty", .get(reply: fresh, body: ""), .get().from(.cache).reads("")),
            Row(
                "9111 §3.3 a body that is shorter than its length is not stored",
                .get(reply: fresh + [("Content-Length", "100")], body: "short"), .get(reply: fresh).from(.server)),
            Row(
                "9111 §3.3 a body that is longer than its length is not stored",
                .get(reply: fresh + [("Content-Length", "2")], body: "longer"), .get(reply: fresh).from(.server)),
        ]

    static let keys: [Row] = [
        Row(
            "9111 §2 another query is another URL", .get(reply: fresh).to("/a?b=1"),
            .get(reply: fresh).to("/a?b=2").from(.server)),
        Row(
            "9111 §2 the same query is the same URL", .get(reply: fresh).to("/a?b=1"), .get().to("/a?b=1").from(.cache)),
        Row("9111 §2 another path is another URL", .get(reply: fresh), .get(reply: fresh).to("/b").from(.server)),
        Row(
            "9111 §2 another host is another URL", .get(reply: fresh),
            .get(reply: fresh).to("http://example.org/a").from(.server)),
        Row(
            "9111 §2 another scheme is another URL", .get(reply: fresh),
            .get(reply: fresh).to("https://example.com/a").from(.server)),
        Row(
            "9111 §2 another port is another URL", .get(reply: fresh),
            .get(reply: fresh).to("http://example.com:8080/a").from(.server)),
        Row(
            "9110 §4.2.3 the default port makes no difference", .get(reply: fresh),
            .get().to("http://example.com:80/a").from(.cache)),
        Row(
            "9110 §4.2.3 the case of the host makes no difference", .get(reply: fresh),
            .get().to("http://EXAMPLE.com/a").from(.cache)),
        Row("9110 §4.2.3 a fragment makes no difference", .get(reply: fresh), .get().to("/a#b").from(.cache)),
        Row("9110 §4.2.3 a needless escape makes no difference", .get(reply: fresh), .get().to("/%61").from(.cache)),
        Row(
            "9110 §4.2.3 the case of the path makes a difference", .get(reply: fresh),
            .get(reply: fresh).to("/A").from(.server)),
    ]
}
