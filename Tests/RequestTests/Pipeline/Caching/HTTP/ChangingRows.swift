import TangoAuth
import TangoRequest

@testable import TestSupport

/// RFC 9111, 4.4: invalidation; RFC 5861 and RFC 9111, 4.2.4: stale responses; RFC 9110, 14: parts.
enum ChangingRows {
    typealias Row = ConformanceRow

    static let all = invalidation + stale + parts

    private static let fresh = [("Cache-Control", "max-age=3600")]

    static let invalidation: [Row] =
        ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"].flatMap { method -> [Row] in
            [
                Row(
                    "9111 §4.4 \(method) makes the URL obsolete", .get(reply: fresh), .send(method).from(.server),
                    .get(reply: fresh).from(.server)),
                Row(
                    "9111 §4.4 a failed \(method) does not make the URL obsolete", .get(reply: fresh),
                    .send(method, status: 500),
                    .get().from(.cache)),
                Row(
                    "9111 §4.4 \(method) makes its Location obsolete", .get(reply: fresh).to("/b"),
                    .send(method, reply: [("Location", "/b")]), .get(reply: fresh).to("/b").from(.server)),
                Row(
                    "9111 §4.4 \(method) makes its Content-Location obsolete", .get(reply: fresh).to("/b"),
                    .send(method, reply: [("Content-Location", "b")]), .get(reply: fresh).to("/b").from(.server)),
            ]
        } + [
            Row(
                "9111 §4.4 404 to a DELETE does not make the URL obsolete", .get(reply: fresh),
                .send("DELETE", status: 404),
                .get().from(.cache)),
            Row(
                "9111 §4.4 a POST with a redirection makes the URL obsolete", .get(reply: fresh),
                .send("POST", status: 303),
                .get(reply: fresh).from(.server)),
            Row(
                "9111 §4.4 OPTIONS does not make the URL obsolete", .get(reply: fresh), .send("OPTIONS"),
                .get().from(.cache)),
            Row(
                "9111 §4.4 HEAD does not make the URL obsolete", .get(reply: fresh), .send("HEAD"), .get().from(.cache)),
            Row(
                "9111 §4.4 QUERY does not make the URL obsolete", .get(reply: fresh), .send("QUERY"),
                .get().from(.cache)),
            Row(
                "9111 §4.4 a Location of another origin stays cached", .get(reply: fresh).to("http://example.org/b"),
                .send("POST", reply: [("Location", "http://example.org/b")]),
                .get().to("http://example.org/b").from(.cache)),
            Row(
                "9111 §4.4 a Location of another port stays cached", .get(reply: fresh).to("http://example.com:81/b"),
                .send("POST", reply: [("Location", "http://example.com:81/b")]),
                .get().to("http://example.com:81/b").from(.cache)),
            Row(
                "9111 §4.4 a Location with the default port is of the same origin", .get(reply: fresh).to("/b"),
                .send("POST", reply: [("Location", "http://EXAMPLE.com:80/b")]),
                .get(reply: fresh).to("/b").from(.server)),
            Row(
                "9111 §4.4 the Location of a failed POST stays cached", .get(reply: fresh).to("/b"),
                .send("POST", reply: [("Location", "/b")], status: 400), .get().to("/b").from(.cache)),
            Row(
                "9111 §4.4 a POST makes all variants obsolete",
                .get([("Foo", "1")], reply: fresh + [("Vary", "Foo")]),
                .get([("Foo", "2")], reply: fresh + [("Vary", "Foo")]),
                .send("POST"), .get([("Foo", "1")], reply: fresh).from(.server)),
            Row(
                "9111 §4.4 a PUT makes responses to other credentials obsolete",
                .get([("Authorization", "a")], reply: fresh),
                .send("PUT", [("Authorization", "b")]), .get([("Authorization", "a")], reply: fresh).from(.server)),
            Row(
                "9111 §4.4 URLs with another query stay cached", .get(reply: fresh).to("/a?b=1"),
                .send("POST").to("/a"),
                .get().to("/a?b=1").from(.cache)),
            Row(
                "9111 §4.4 longer URLs stay cached", .get(reply: fresh).to("/abc"), .send("POST").to("/a"),
                .get().to("/abc").from(.cache)),
            Row(
                "Clear-Site-Data \"cache\" removes everything of the site", .get(reply: fresh).to("/b"),
                .get(reply: [("Clear-Site-Data", "\"cache\"")]).to("/c"), .get(reply: fresh).to("/b").from(.server)),
            Row(
                "Clear-Site-Data counts in responses to OPTIONS", .get(reply: fresh).to("/b"),
                .send("OPTIONS", reply: [("Clear-Site-Data", "\"cache\"")]).to("/c"),
                .get(reply: fresh).to("/b").from(.server)),
            Row(
                "Clear-Site-Data counts in a 304", .get(reply: fresh).to("/b"),
                .get(reply: [("Cache-Control", "max-age=2"), ("ETag", "\"a\"")], body: "old"),
                .get(reply: [("ETag", "\"a\"")]).confirming([("ETag", "\"a\""), ("Clear-Site-Data", "\"cache\"")])
                    .after(5).from(.confirmed).reads("old"),
                .get(reply: fresh).to("/b").from(.server), .get(reply: fresh).from(.server)),
            Row(
                "Clear-Site-Data counts in an error that a stale response replaces", .get(reply: fresh).to("/b"),
                .get(reply: [("Cache-Control", "max-age=2, stale-if-error=60")], body: "old"),
                .get(reply: [("Clear-Site-Data", "\"cache\"")], status: 503).after(5).reads("old"),
                .get(reply: fresh).to("/b").from(.server)),
            Row(
                "Clear-Site-Data \"cookies\" removes nothing", .get(reply: fresh).to("/b"),
                .get(reply: [("Clear-Site-Data", "\"cookies\"")]).to("/c"), .get().to("/b").from(.cache)),
            Row(
                "Clear-Site-Data does not affect other sites", .get(reply: fresh).to("http://example.org/b"),
                .get(reply: [("Clear-Site-Data", "\"*\"")]).to("/c"), .get().to("http://example.org/b").from(.cache)),
        ]

    private static func failing(
        _ name: String, _ control: String, asking: [(String, String)] = [], status: Int? = nil,
        error: RequestError.Code? = nil, after wait: Double = 5, from source: Row.Source
    ) -> Row {
        var step = Row.Step.get(asking, status: status ?? 200).after(wait).unconditional()
        if let error { step = step.broken(error) }
        if let error, source == .server { step = step.fails(error) }
        if source == .cache { step = step.reads("old").is_(200) } else if let status { step = step.is_(status) }
        return Row(name, .get(reply: [("Cache-Control", control), ("ETag", "\"a\"")], body: "old"), step)
    }

    static let stale: [Row] = [
        failing(
            "9111 §4.2.4 a stale response is served if the server cannot be reached", "max-age=2",
            error: .cannotConnect, from: .cache),
        failing(
            "9111 §4.2.4 a stale response is served if the host is not found", "max-age=2", error: .hostNotFound,
            from: .cache),
        failing(
            "9111 §4.2.4 a stale response is served if the device is offline", "max-age=2", error: .offline,
            from: .cache),
        failing(
            "9111 §5.2.1.2 max-stale of the request limits stale responses", "max-age=2",
            asking: [("Cache-Control", "max-stale=2")], error: .cannotConnect, from: .server),
        failing(
            "9111 §4.2.4 a stale response is served if the connection is lost", "max-age=2", error: .connectionLost,
            from: .cache),
        failing(
            "9111 §4.2.4 a stale response is served if the connection times out", "max-age=2", error: .connectTimedOut,
            from: .cache),
        failing(
            "9111 §4.2.4 no stale response is served if the server is not trusted", "max-age=2", error: .untrusted,
            from: .server),
        failing(
            "9111 §4.2.4 no stale response is served if the response is invalid", "max-age=2", error: .badResponse,
            from: .server),
        failing(
            "9111 §5.2.2.2 must-revalidate forbids stale responses", "max-age=2, must-revalidate",
            error: .cannotConnect,
            from: .server),
        failing(
            "9111 §5.2.2.4 no-cache forbids stale responses", "max-age=2, no-cache", error: .cannotConnect,
            from: .server),
        failing(
            "9111 §5.2.2.8 proxy-revalidate forbids stale responses", "max-age=2, proxy-revalidate",
            error: .cannotConnect,
            from: .server),
        failing(
            "9111 §5.2.2.10 s-maxage forbids stale responses", "max-age=2, s-maxage=2", error: .cannotConnect,
            from: .server),
        failing(
            "9111 §5.2.1.4 no-cache of the request forbids stale responses", "max-age=60",
            asking: [("Cache-Control", "no-cache")], error: .cannotConnect, from: .server),
        failing(
            "9111 §5.2.1.1 max-age of the request forbids stale responses", "max-age=60",
            asking: [("Cache-Control", "max-age=1")], error: .cannotConnect, from: .server),
        failing(
            "9111 §5.2.1.3 min-fresh of the request forbids stale responses", "max-age=60",
            asking: [("Cache-Control", "min-fresh=100")], error: .cannotConnect, from: .server),
        failing(
            "9111 §4.2.4 a server error alone does not allow a stale response", "max-age=2", status: 503, from: .server),
        failing("5861 §4 stale-if-error applies to 500", "max-age=2, stale-if-error=60", status: 500, from: .cache),
        failing("5861 §4 stale-if-error applies to 502", "max-age=2, stale-if-error=60", status: 502, from: .cache),
        failing("5861 §4 stale-if-error applies to 503", "max-age=2, stale-if-error=60", status: 503, from: .cache),
        failing("5861 §4 stale-if-error applies to 504", "max-age=2, stale-if-error=60", status: 504, from: .cache),
        failing(
            "5861 §4 stale-if-error does not apply to 501", "max-age=2, stale-if-error=60", status: 501, from: .server),
        failing(
            "5861 §4 stale-if-error does not apply to 404", "max-age=2, stale-if-error=60", status: 404, from: .server),
        failing(
            "5861 §4 stale-if-error does not apply after its time", "max-age=2, stale-if-error=2", status: 500,
            from: .server),
        failing(
            "5861 §4 stale-if-error applies at the end of its time", "max-age=2, stale-if-error=3", status: 500,
            from: .cache),
        failing(
            "5861 §4 stale-if-error applies to lost connections", "max-age=2, stale-if-error=60",
            error: .connectionLost, from: .cache),
        failing(
            "5861 §4 stale-if-error applies to a truncated response", "max-age=2, stale-if-error=60", error: .truncated,
            from: .cache),
        failing(
            "5861 §4 stale-if-error applies to a response that is not HTTP", "max-age=2, stale-if-error=60",
            error: .badResponse, from: .cache),
        failing(
            "5861 §4 stale-if-error applies to a response with a wrong encoding", "max-age=2, stale-if-error=60",
            error: .badEncoding,
            from: .cache),
        failing(
            "5861 §4 stale-if-error does not apply to an untrusted server", "max-age=2, stale-if-error=60",
            error: .untrusted,
            from: .server),
        failing(
            "5861 §4 stale-if-error of the request applies", "max-age=2",
            asking: [("Cache-Control", "stale-if-error=60")],
            status: 500, from: .cache),
        failing(
            "5861 §4 stale-if-error of the request does not apply after its time", "max-age=2",
            asking: [("Cache-Control", "stale-if-error=1")], status: 500,
            from: .server),
        failing(
            "5861 §4 an invalid stale-if-error is ignored", "max-age=2, stale-if-error=x", status: 500, from: .server),
        failing(
            "5861 §4 must-revalidate overrides stale-if-error", "max-age=2, must-revalidate, stale-if-error=60",
            status: 500,
            from: .server),
        .reuse(
            "5861 §3 stale-while-revalidate serves a stale response at once",
            [("Cache-Control", "max-age=2, stale-while-revalidate=60")], after: 3, from: .cache),
        .reuse(
            "5861 §3 stale-while-revalidate does not apply after its time",
            [("Cache-Control", "max-age=2, stale-while-revalidate=2")], from: .server),
        .reuse(
            "5861 §3 must-revalidate overrides stale-while-revalidate",
            [("Cache-Control", "max-age=2, must-revalidate, stale-while-revalidate=60")], from: .server),
        .reuse(
            "5861 §3 max-age of the request overrides stale-while-revalidate",
            [("Cache-Control", "max-age=2, stale-while-revalidate=60")], asking: [("Cache-Control", "max-age=1")],
            from: .server),
        .reuse(
            "5861 §3 only-if-cached starts no refresh", [("Cache-Control", "max-age=2, stale-while-revalidate=60")],
            asking: [("Cache-Control", "only-if-cached")], from: .cache),
    ]

    private static let text = "0123456789"

    private static func range(
        _ name: String, _ range: String, stored: [(String, String)] = [], asking: [(String, String)] = [],
        status: Int = 206, reads body: String?, source: Row.Source = .cache
    ) -> Row {
        var step = Row.Step.get([("Range", range)] + asking, reply: fresh).from(source)
        if source == .cache { step = step.is_(status) }
        if let body { step = step.reads(body) }
        return Row(name, .get(reply: fresh + stored, body: text), step)
    }

    private static func part(
        _ name: String, _ first: String, _ content: String, _ body: String, then: Row.Step...,
        tag: [(String, String)] = []
    ) -> Row {
        let one = Row.Step.get(
            [("Range", first)], reply: fresh + tag + [("Content-Range", content)], status: 206, body: body)
        return Row(name, steps: [one] + then)
    }

    private static let strong = [("ETag", "\"a\"")]

    static let parts: [Row] = [
        range("9110 §14.2 a range is served from a whole response", "bytes=0-1", reads: "01"),
        range("9110 §14.1.2 a range without an end", "bytes=6-", reads: "6789"),
        range("9110 §14.1.2 a range from the end", "bytes=-3", reads: "789"),
        range("9110 §14.1.2 a range beyond the end is shortened", "bytes=8-100", reads: "89"),
        range("9110 §14.1.2 a suffix longer than the body is the whole body", "bytes=-100", reads: text),
        range("9110 §14.1.1 the unit is case-insensitive", "Bytes=0-0", reads: "0"),
        range("9110 §14.1.2 a range after the end is forwarded", "bytes=10-", reads: nil, source: .server),
        range("9110 §14.1.2 an empty suffix is forwarded", "bytes=-0", reads: nil, source: .server),
        range("9110 §14.2 several ranges are forwarded", "bytes=0-1,3-4", reads: nil, source: .server),
        range("9110 §14.2 other units are forwarded", "lines=0-1", reads: nil, source: .server),
        range("9110 §14.2 an invalid range is forwarded", "bytes=b-a", reads: nil, source: .server),
        range(
            "9110 §13.1.5 If-Range with the same strong ETag", "bytes=0-1", stored: strong,
            asking: [("If-Range", "\"a\"")], reads: "01"),
        range(
            "9110 §13.1.5 If-Range with another ETag returns the whole response", "bytes=0-1", stored: strong,
            asking: [("If-Range", "\"b\"")], status: 200, reads: text),
        range(
            "9110 §13.1.5 If-Range with a weak ETag returns the whole response", "bytes=0-1",
            stored: [("ETag", "W/\"a\"")], asking: [("If-Range", "W/\"a\"")], status: 200, reads: text),
        range(
            "9110 §13.1.5 If-Range with the same date", "bytes=0-1",
            stored: [("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")],
            asking: [("If-Range", "Wed, 01 Jan 2020 00:00:00 GMT")], reads: "01"),
        range(
            "9110 §13.1.5 If-Range with another date returns the whole response", "bytes=0-1",
            stored: [("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")],
            asking: [("If-Range", "Thu, 02 Jan 2020 00:00:00 GMT")], status: 200, reads: text),
        range(
            "9110 §14.2 a body that may have been decoded serves no ranges", "bytes=0-1",
            stored: [("Vary", "Accept-Encoding")], reads: nil, source: .server),
        Row(
            "9110 §15.3.7 a served part has its Content-Range", .get(reply: fresh + [("Test", "1")], body: text),
            .get([("Range", "bytes=2-4")]).from(.cache).is_(206).has("Content-Range", "bytes 2-4/10")
                .has("Content-Length", "3").has("Test", "1")),
        Row(
            "9110 §14.2 a range is ignored for another status", .get(reply: fresh, status: 404, body: "no"),
            .get([("Range", "bytes=0-0")]).from(.cache).is_(404).reads("no")),
        Row(
            "9110 §14.2 a range is ignored for HEAD", .get(reply: fresh, body: text),
            .send("HEAD", [("Range", "bytes=0-1")]).from(.cache).is_(200)),
        Row(
            "9111 §4.3 a range of a stale response is revalidated",
            .get(reply: [("Cache-Control", "max-age=2"), ("ETag", "\"a\"")], body: text),
            .get([("Range", "bytes=0-1")], reply: [("Cache-Control", "max-age=2"), ("ETag", "\"a\"")]).after(5)
                .from(.confirmed).is_(206).reads("01")),
        part(
            "9111 §3.3 a stored part serves the same range", "bytes=-5", "bytes 5-9/10", "56789",
            then: .get([("Range", "bytes=-5")]).from(.cache).is_(206).reads("56789").has(
                "Content-Range", "bytes 5-9/10")),
        part(
            "9111 §3.3 a stored part serves a smaller range", "bytes=-5", "bytes 5-9/10", "56789",
            then: .get([("Range", "bytes=6-8")]).from(.cache).is_(206).reads("678").has("Content-Range", "bytes 6-8/10")
        ),
        part(
            "9111 §3.3 a stored part serves a range to the end", "bytes=-5", "bytes 5-9/10", "56789",
            then: .get([("Range", "bytes=6-")]).from(.cache).is_(206).reads("6789")),
        part(
            "9111 §3.3 a stored part serves a shorter suffix", "bytes=-5", "bytes 5-9/10", "56789",
            then: .get([("Range", "bytes=-1")]).from(.cache).is_(206).reads("9")),
        part(
            "9111 §3.3 a part does not serve the whole body", "bytes=-5", "bytes 5-9/10", "56789",
            then: .get(reply: fresh).from(.server).withholds("Range")),
        part(
            "9111 §3.3 a range outside the stored part is forwarded", "bytes=-5", "bytes 5-9/10", "56789",
            then: .get([("Range", "bytes=0-6")], reply: fresh).from(.server)),
        part(
            "9111 §3.3 a part of a body of unknown length serves the same range", "bytes=0-4", "bytes 0-4/*",
            "01234", then: .get([("Range", "bytes=0-4")]).from(.cache).reads("01234")),
        part(
            "9111 §3.3 a part with fewer bytes than its Content-Range serves the same range", "bytes=-5",
            "bytes 4-9/10", "01234",
            then: .get([("Range", "bytes=-5")]).from(.cache).is_(206).reads("01234")),
        part(
            "9111 §3.3 a part with more bytes than its Content-Range is not stored", "bytes=0-4", "bytes 0-2/10",
            "01234",
            then: .get([("Range", "bytes=0-4")], reply: fresh).from(.server)),
        part(
            "9111 §3.3 a part without a valid Content-Range is not stored", "bytes=0-4", "foo", "01234",
            then: .get([("Range", "bytes=0-4")], reply: fresh).from(.server)),
        part(
            "9111 §3.4 parts with the same strong ETag are combined", "bytes=0-4", "bytes 0-4/10", "01234",
            then: .get(
                [("Range", "bytes=5-9")], reply: fresh + strong + [("Content-Range", "bytes 5-9/10")], status: 206,
                body: "56789"
            ).from(.server),
            .get().from(.cache).is_(200).reads(text).lacks("Content-Range").has("Content-Length", "10"), tag: strong),
        part(
            "9110 §15.3.7 a part of all bytes serves the whole body", "bytes=0-", "bytes 0-9/10", text,
            then: .get().from(.cache).is_(200).reads(text).lacks("Content-Range").has("Content-Length", "10"),
            .get([("Range", "bytes=0-")]).from(.cache).is_(206).reads(text).has("Content-Range", "bytes 0-9/10"),
            .get([("Range", "bytes=2-3")]).from(.cache).is_(206).reads("23").has("Content-Range", "bytes 2-3/10")),
        part(
            "9111 §3.4 parts that overlap are combined", "bytes=0-6", "bytes 0-6/10", "0123456",
            then: .get(
                [("Range", "bytes=4-9")], reply: fresh + strong + [("Content-Range", "bytes 4-9/10")], status: 206,
                body: "456789"
            ).from(.server), .get().from(.cache).is_(200).reads(text), tag: strong),
        part(
            "9111 §3.4 parts without an ETag are not combined", "bytes=0-4", "bytes 0-4/10", "01234",
            then: .get(
                [("Range", "bytes=5-9")], reply: fresh + [("Content-Range", "bytes 5-9/10")], status: 206, body: "56789"
            ).from(.server), .get(reply: fresh).from(.server)),
        part(
            "9111 §3.4 parts with a weak ETag are not combined", "bytes=0-4", "bytes 0-4/10", "01234",
            then: .get(
                [("Range", "bytes=5-9")], reply: fresh + [("ETag", "W/\"a\""), ("Content-Range", "bytes 5-9/10")],
                status: 206, body: "56789"
            ).from(.server), .get(reply: fresh).from(.server), tag: [("ETag", "W/\"a\"")]),
        part(
            "9111 §3.4 parts with another ETag are not combined", "bytes=0-4", "bytes 0-4/10", "01234",
            then: .get(
                [("Range", "bytes=5-9")], reply: fresh + [("ETag", "\"b\""), ("Content-Range", "bytes 5-9/10")],
                status: 206, body: "56789"
            ).from(.server), .get(reply: fresh).from(.server), tag: strong),
        part(
            "9111 §3.4 combined parts have the newer fields", "bytes=0-4", "bytes 0-4/10", "01234",
            then: .get(
                [("Range", "bytes=5-9")], reply: fresh + strong + [("Test", "2"), ("Content-Range", "bytes 5-9/10")],
                status: 206, body: "56789"), .get().from(.cache).has("Test", "2"), tag: strong + [("Test", "1")]),
        part(
            "9111 §3.4 the bytes after a part are requested", "bytes=0-4", "bytes 0-4/10", "01234",
            then: .get(reply: fresh + strong + [("Content-Range", "bytes 5-9/10")], status: 206, body: "56789")
                .forwards("Range", "bytes=5-").forwards("If-Range", "\"a\"").is_(200).reads(text),
            .get().from(.cache).is_(200).reads(text), tag: strong),
        part(
            "9111 §3.4 the bytes before a part are requested", "bytes=5-9", "bytes 5-9/10", "56789",
            then: .get(reply: fresh + strong + [("Content-Range", "bytes 0-4/10")], status: 206, body: "01234")
                .forwards("Range", "bytes=0-4").is_(200).reads(text), tag: strong),
        part(
            "9110 §13.1.5 a whole response with another ETag replaces a part", "bytes=0-4", "bytes 0-4/10", "01234",
            then: .get(reply: fresh + [("ETag", "\"b\"")], status: 200, body: "new").from(.server).is_(200).reads(
                "new"), .get().from(.cache).reads("new"), tag: strong),
        Row(
            "9111 §3.4 a part with the same ETag leaves the whole response", .get(reply: fresh + strong, body: text),
            .get(
                [("Range", "bytes=0-1"), ("Cache-Control", "no-cache")],
                reply: fresh + strong + [("Content-Range", "bytes 0-1/10")], status: 206, body: "01"
            ).unconditional().from(.server),
            .get().from(.cache).is_(200).reads(text)),
        Row(
            "9111 §3.4 a part with another ETag makes the whole response obsolete",
            .get(reply: fresh + strong, body: text),
            .get(
                [("Range", "bytes=0-1"), ("Cache-Control", "no-cache")],
                reply: fresh + [("ETag", "\"b\""), ("Content-Range", "bytes 0-1/4")], status: 206, body: "ab"
            ).from(.server),
            .get(reply: fresh, body: "abcd").is_(200).from(.server)),
    ]
}
