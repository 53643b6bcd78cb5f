import Foundation
@_spi(Reflection) import Swift
import TangoAuth
import TangoCookies
import TangoMeasuring
import TangoPromise
import TangoTesting
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The descriptions that a developer sees in a debugger or with `print`.
@Suite(.timeLimit(.minutes(20)))
struct DescriptionTests {
    private static let secret = "s3cr3t-value"

    @Test func valuesAreInWords() {
        var phases = AttemptPhases()
        #expect("\(phases)" == "no phases")
        phases.connect = .milliseconds(1)
        phases.wait = .microseconds(12_500)
        #expect("\(phases)" == "connect 1 ms, wait 12.5 ms")
        var metrics = AttemptMetrics()
        metrics.bodyBytesReceived = 5
        #expect("\(metrics)" == "no phases; 0 bytes sent, 5 bytes received")
        metrics.reusedConnection = true
        #expect("\(metrics)".hasSuffix(", on an open connection"))
        #expect("\(Timeouts.default)" == "connect 15 s, idle 60 s")
        #expect("\(Timeouts.none)" == "no limits")
        #expect("\(CallProgress(sent: 1, received: 2, receivedTotal: 3))" == "sent 1 bytes, received 2 of 3 bytes")
        #expect("\(DurationHistogram())" == "no durations")
        var histogram = DurationHistogram()
        histogram.add(.milliseconds(1))
        #expect("\(histogram)" == "1 durations, median 1 ms, p90 1 ms, p99 1 ms, max 1 ms")
    }

    @Test func policiesAreInWords() {
        #expect("\(RetryPolicy.never)" == "never")
        #expect("\(RetryPolicy.connectionLoss)" == "once, if the connection was lost")
        #expect("\(RetryPolicy.standard)".hasPrefix("up to 3 attempts, after 250 ms, at most "))
        #expect("\(RetryPolicy.custom { _ in nil })" == "as a closure decides")
        #expect("\(RedirectPolicy.follow())" == "follows up to 20 redirects")
        #expect("\(RedirectPolicy.refuse)" == "refuses redirects")
        #expect("\(RetryBudget.unlimited)" == "unlimited")
        #expect("\(Limiter(total: 4, queue: 10))" == "Limiter, 4 in total, 10 waiting: 0 running, 0 waiting")
        #expect(
            "\(RetryDecision(after: .milliseconds(250), .mayPass))"
                == "again after 250 ms: the failure may be gone with the next attempt")
    }

    @Test func settingsAreInWords() {
        #expect("\(CachePolicy.http)" == "http")
        #expect("\(CachePolicy.networkOnly)" == "networkOnly")
        #expect("\(CachePolicy.cacheElseNetwork(maxAge: .seconds(3)))" == "cacheElseNetwork, for 3 s, raw")
        #expect("\(CachePolicy(fetch: .cacheOnly, hit: .always, write: .model))" == "cacheOnly, always, model")
        #expect("\([Uniqueness.allow, .join, .reject, .replace])" == "[allow, join, reject, replace]")
        #expect("\([CallLog.line, .body])" == "[line, body, up to 2000 bytes]")
        #expect("\([TransportCapabilities.tls, .http2] as TransportCapabilities)" == "[tls, http2]")
        var options = TransportOptions(delivery: .whole(limit: 5))
        #expect("\(options)" == "connect 15 s, idle 60 s; the whole body, up to 5 bytes")
        (options.delivery, options.needsNewConnection) = (.stream, true)
        #expect("\(options)" == "connect 15 s, idle 60 s; a streamed body; on a new connection")
        #expect("\(MockResponse.text(Self.secret).status(503).delayed(.seconds(2)))" == "status 503, after 2 s")
        #expect("\(MockResponse.failure(.connectionLost))" == "connectionLost")
        #expect("\(Multipart(parts: [.text(Self.secret, named: "a")]))" == #"form with 1 parts: "a""#)
        #expect("\(HARRecorder.Limits(entries: 1, bytes: 2, body: 3))" == "1 entries, 2 bytes, bodies up to 3 bytes")
    }

    /// A configuration shows no secrets, also not to a mirror, so its properties are found by the types of its fields.
    @Test func configurationDescribesAllItsSettings() {
        var names: Set<String> = []
        _ = _forEachField(of: Client.Configuration.self) { name, _, _, _ in
            names.insert(String(cString: name))
            return true
        }
        // Each feature describes itself.
        names.remove("features")
        #expect(names.count > 30)
        #expect(Set(Client.Configuration().settings.map(\.name)) == names)
    }

    /// Values that differ in one property have different descriptions.
    private func expectEachPropertyShows<Value>(
        in value: Value, _ others: [String: Value], except hidden: Set<String> = []
    ) {
        let names = Mirror(reflecting: value).children.compactMap(\.label)
        #expect(Set(names) == hidden.union(others.keys))
        for (name, other) in others { #expect("\(other)" != "\(value)", "\(name)") }
    }

    @Test func policiesDescribeAllTheirSettings() {
        expectEachPropertyShows(
            in: Timeouts.none,
            [
                "connect": Timeouts(connect: .seconds(1), idle: nil),
                "idle": Timeouts(connect: nil, idle: .seconds(1)),
                "attempt": Timeouts(connect: nil, idle: nil, attempt: .seconds(1)),
                "total": Timeouts(connect: nil, idle: nil, total: .seconds(1)),
                "expectContinue": Timeouts(connect: nil, idle: nil, expectContinue: .seconds(1)),
            ])
        var patient = RetryPolicy.standard
        patient.longestWait = .seconds(90)
        expectEachPropertyShows(
            in: .standard,
            [
                "rule": RetryPolicy.never, "longestWait": patient, "makesKeys": .standard.withIdempotencyKey(),
            ])
        expectEachPropertyShows(
            in: .follow(),
            [
                "rule": RedirectPolicy.refuse, "limit": .follow(limit: 3),
                "allowsInsecure": .follow().allowingInsecure(),
            ])
        var online = CachePolicy.http
        online.servesStaleOffline = false
        expectEachPropertyShows(
            in: .http, ["fetch": .networkOnly, "servesStaleOffline": online], except: ["hit", "write", "isDefault"])
        expectEachPropertyShows(
            in: .cacheElseNetwork(maxAge: .seconds(3)),
            [
                "fetch": CachePolicy.cacheOnly, "hit": .cacheElseNetwork(maxAge: .seconds(4)),
                "write": CachePolicy(fetch: .cacheElseNetwork, hit: .maxAge(.seconds(3)), write: .model),
            ], except: ["servesStaleOffline", "isDefault"])
    }

    @Test func valuesOfClosuresHaveNoSecrets() async throws {
        let mock = MockTransport()
        mock.stub(.get, "/a", .status(302).header("Location", "/b?token=\(Self.secret)"))
        mock.stub(.get, "/b", .text(Self.secret).status(503), .text("ok"))
        let texts = Facts()
        @Sendable func note(_ value: Any) {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!dumped.contains(Self.secret))
            texts.note("\(value)")
        }
        struct Noting: Interceptor {
            let note: @Sendable (Any) -> Void
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                note(context)
                note(next)
                return try await next(request)
            }
        }
        let client = Client(baseURL: URL(string: "https://a.test")) {
            $0.transport = mock
            $0.interceptors = [Noting(note: note)]
            $0.redirectPolicy = .custom { redirect in
                note(redirect)
                return redirect.request
            }
            $0.retryPolicy = .custom { attempt in
                note(attempt)
                return .zero
            }
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        _ = try await call.value
        #expect(
            texts.all == [
                "context of call \(call.id), GET /a, running",
                "the rest of the pipeline of call \(call.id), GET /a, running",
                "302 to GET https://a.test/b?token=…", "attempt 1, GET https://a.test/b?token=…: 503",
            ])
    }

    /// Errors of other libraries have texts of their own.
    @Test func eventsHideSecretsInForeignErrors() async throws {
        struct Foreign: LocalizedError {
            let text: String
            var errorDescription: String? { text }
        }
        let inURL = Foreign(text: "cannot open https://a.test/?access_token=\(Self.secret)")
        let kinds: [CallEvent.Kind] = [
            .finished(.failure, error: inURL),
            .cache(.failed(CacheKey("a"), inURL)),
        ]
        for kind in kinds { #expect("\(kind)".hasSuffix(": cannot open https://a.test/?access_token=…"), "\(kind)") }

        let mock = MockTransport()
        mock.stub(.get, "/foreign", .text("a"))
        let events = Facts()
        let client = Client(baseURL: URL(string: "https://a.test")) {
            $0.transport = mock
            $0.headers["Authorization"] = Self.secret
            $0.interceptors = [Throwing(error: Foreign(text: "sent \(Self.secret)"))]
            $0.observe { event in events.note("\(event)") }
        }
        await #expect(throws: Foreign.self) { _ = try await Fetch<String>(.get("/foreign"), of: client).promise.value }
        await client.shutdown()
        #expect(events.all.last?.hasSuffix(": sent …") == true, "\(events.all)")
    }

    /// Fails after the response.
    private struct Throwing: Interceptor {
        let error: any Error

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            _ = try await next(request)
            throw error
        }
    }

    @Test func descriptionsOfARunHaveNoSecrets() async throws {
        let mock = MockTransport()
        mock.stub(.get, "/users", .status(503), .text(Self.secret).header("Set-Cookie", "sid=\(Self.secret)"))
        let events = Facts()
        let waterfall = Waterfall()
        let client = Client(baseURL: URL(string: "https://user:\(Self.secret)@a.test")) {
            $0.transport = mock
            $0.headers["Authorization"] = Self.secret
            $0.identity = Self.secret
            $0.retryPolicy = .exponential(attempts: 2, base: .zero, cap: .zero)
            $0.observers = [waterfall]
            $0.observe { event in events.note("\(event)") }
        }
        let call = Fetch<String>(.get("/users", query: ["token": Self.secret]), of: client).start()
        call.userInfo.update { $0["note"] = Self.secret }
        _ = try await call.value
        await client.shutdown()

        let texts: [Any] = [
            call, call.attempts, call.timeline, call.metrics as Any, call.userInfo, client, client.configuration, mock,
            waterfall, client.statistics,
        ]
        for text in texts {
            #expect(!"\(text)".contains(Self.secret), "\(text)")
            #expect(!String(reflecting: text).contains(Self.secret))
            var dumped = ""
            dump(text, to: &dumped)
            #expect(!dumped.contains(Self.secret), "\(dumped)")
        }
        #expect(events.all.allSatisfy { !$0.contains(Self.secret) })
        #expect(events.all.first?.contains("starts with GET https://") == true)
        #expect(events.all.contains { $0.contains(", attempt 1: response 503") }, "\(events.all)")
        #expect(events.all.last?.hasSuffix(": finished: success") == true)
        #expect(call.attempts[1].description.hasPrefix("attempt 2 (retry), GET https://"))
        #expect("\(mock)" == "MockTransport, 2 requests")
        #expect("\(call.userInfo)" == #"values for ["note"]"#)
    }
}
