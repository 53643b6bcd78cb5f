import Foundation
import LoopbackServer
import TangoAuth
import TangoPromise
import TangoRequest
import TangoTesting
import Testing

@testable import TestSupport

/// Replays of recordings.
@Suite(.timeLimit(.minutes(20)))
struct HARReplayTests {
    private let site: Site
    private let files = ScratchFiles()
    private var file: URL { files.url.appendingPathComponent("run.har") }

    init() throws { site = try Site() }

    /// Records some calls at the server of the site.
    private func record(
        _ change: (inout Client.Configuration) -> Void = { _ in }, _ work: (Client) async throws -> Void
    ) async throws {
        let recorder = try HARRecorder(file: file)
        let client = Client(baseURL: site.server.url) {
            $0.timeouts = .patient
            $0.observers = [recorder]
            change(&$0)
        }
        try await work(client)
        await client.shutdown()
        recorder.close()
    }

    private func client(_ replay: HARReplay, at url: URL? = nil) -> Client {
        Client(baseURL: url ?? site.server.url) {
            $0.transport = replay
            $0.retryPolicy = .never
        }
    }

    private func text(
        _ client: Client, _ path: String, query: Query = [:], headers: Headers = [:]
    ) async throws -> String {
        try await Fetch<String>(.get(path, query: query, headers: headers), of: client).promise.value
    }

    // MARK: Round trips

    @Test func responseIsThatOfTheServer() async throws {
        let bytes = Data([0, 255, 1])
        site.server.answer("/bytes", with: Response.bytes(bytes).header("X-Mark", "m").status(203))
        try await record { _ = try await Fetch<Data>(.get("/bytes"), of: $0).promise.value }
        let requests = site.server.requests.count

        let call = Fetch<Data>(.get("/bytes"), of: client(try HARReplay(file: file))).start()
        #expect(try await call.value == bytes)
        #expect(call.response?.status == 203)
        #expect(call.response?.headers["X-Mark"] == "m")
        #expect(site.server.requests.count == requests)
    }

    @Test func compressedBodyIsDecodedOnce() async throws {
        site.server.answer("/a", with: Response.bytes(Gzip.zeroes(repeats: 4)).header("Content-Encoding", "gzip"))
        try await record { _ = try await Fetch<Data>(.get("/a"), of: $0).promise.value }
        let call = Fetch<Data>(.get("/a"), of: client(try HARReplay(file: file))).start()
        #expect(try await call.value == Data(repeating: 0, count: 1 + 4 * 258))
        #expect(call.response?.headers["Content-Encoding"] == nil)
    }

    @Test func attemptsOfACallAreReplayed() async throws {
        site.server.enqueue(
            Response.text("lost").failing(.reset, at: .response), .status(503), .redirect(to: "/b"), .text("ok"))
        let retries = RetryPolicy.exponential(attempts: 3, base: .zero, cap: .zero)
        try await record({ $0.retryPolicy = retries }) { _ = try await text($0, "/a") }
        let replay = try HARReplay(file: file)
        let client = client(replay).with { $0.retryPolicy = retries }
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await call.value == "ok")
        #expect(call.attempts.map(\.cause) == [.first, .retry, .retry, .redirect])
        try replay.verify()
    }

    @Test func equalRequestsGetTheirResponsesInOrder() async throws {
        site.server.enqueue(.text("1"), .text("2"))
        try await record { client in for _ in 1...2 { _ = try await text(client, "/a") } }
        let strict = client(try HARReplay(file: file))
        #expect(try await text(strict, "/a") == "1")
        #expect(try await text(strict, "/a") == "2")
        #expect(try await failure { try await text(strict, "/a") }.code == .noStub)
        let lenient = client(try HARReplay(file: file, matching: .lenient))
        #expect(try await text(lenient, "/a") == "1")
        #expect(try await text(lenient, "/a") == "2")
        #expect(try await text(lenient, "/a") == "2")
    }

    @Test func secretsAreNotCompared() async throws {
        site.server.answer("/a", with: .text("ok"))
        try await record { _ = try await text($0, "/a", query: ["access_token": "one", "page": 1]) }
        #expect(!(try String(contentsOf: file, encoding: .utf8)).contains("=one"))
        let replay = try HARReplay(file: file)
        #expect(
            try await text(
                client(replay), "/a", query: ["page": 1, "access_token": "two"], headers: ["Authorization": "x"])
                == "ok")
    }

    enum Place: CaseIterable {
        case query, json, form, segment

        func endpoint(_ value: String) -> Endpoint {
            switch self {
            case .query: .get("/a", query: ["code": value, "page": 1])
            case .json: .post("/a", body: .string(#"{"pin":"\#(value)"}"#, contentType: "application/json"))
            case .form: .post("/a", body: .form(["password": value]))
            case .segment: Endpoint.get("/a/\(value)").redacting(value)
            }
        }
    }

    @Test(arguments: Place.allCases) func secretsTellRequestsApart(_ place: Place) async throws {
        let names = ["DE", "FR", "IT", "ES", "AT", "PL", "NL", "BE", "SE", "NO", "DK", "FI", "PT", "GR", "HU", "RO"]
        site.server.enqueue(names.map { Response.text("of " + $0.lowercased()) })
        try await record { client in
            for name in names { _ = try await Fetch<String>(place.endpoint(name), of: client).promise.value }
        }
        // The key before the entries is random.
        let content = try String(contentsOf: file, encoding: .utf8).split(separator: #""entries""#)[1]
        for name in names { for mark in ["\"", "=", "/"] { #expect(!content.contains(mark + name)) } }
        let digits = try HARContents(file).entries.compactMap { $0["request", "_digest"]?.count }
        #expect(digits.count == names.count)
        #expect(digits.allSatisfy { $0 <= 4 })
        let client = client(try HARReplay(file: file))
        func text(_ name: String) async throws -> String {
            try await Fetch<String>(place.endpoint(name), of: client).promise.value
        }
        for name in names.reversed() { #expect(try await text(name) == "of " + name.lowercased()) }
        #expect(try await failure { try await text("FR") }.code == .noStub)
    }

    @Test(arguments: [false, true]) func redactedLocationLeadsOn(_ isSecret: Bool) async throws {
        site.server.enqueue(
            .redirect(to: "/next?code=one-uno"), .text("1"), .redirect(to: "/next?code=two-due"), .text("2"))
        try await record({ if isSecret { $0.redaction.add(headers: ["Location"]) } }) { client in
            _ = try await text(client, "/a", query: ["page": 1])
            _ = try await text(client, "/a", query: ["page": 2])
        }
        #expect(!(try String(contentsOf: file, encoding: .utf8)).contains("uno"))
        let replay = try HARReplay(file: file)
        #expect(try await text(client(replay), "/a", query: ["page": 2]) == "2")
        #expect(try await text(client(replay), "/a", query: ["page": 1]) == "1")
        try replay.verify()
    }

    @Test func exchangedSecretsTellRequestsApart() async throws {
        site.server.enqueue(.text("1"), .text("2"))
        let queries: [Query] = [["code": "DE", "state": "FR"], ["code": "FR", "state": "DE"]]
        try await record { client in for query in queries { _ = try await text(client, "/a", query: query) } }
        let client = client(try HARReplay(file: file))
        #expect(try await text(client, "/a", query: queries[1]) == "2")
        #expect(try await text(client, "/a", query: queries[0]) == "1")
    }

    /// The digits of a digest grow with the number of secrets that were recorded before.
    @Test func repeatedSecretsGetTheirResponsesInOrder() async throws {
        let codes = (0..<40).flatMap { ["DE", "\($0)"] } + ["DE"]
        site.server.enqueue(codes.indices.map { Response.text("\($0)") })
        try await record { client in for code in codes { _ = try await text(client, "/a", query: ["code": code]) } }
        let client = client(try HARReplay(file: file))
        for (index, code) in codes.enumerated().sorted(by: { ($0.element, $0.offset) < ($1.element, $1.offset) }) {
            #expect(try await text(client, "/a", query: ["code": code]) == "\(index)")
        }
    }

    /// The recording hides the secret in the request too, before which a replay does not know it.
    @Test func requestWithASecretOfItsResponseIsFound() async throws {
        let body = Body.json(["id": 12_345_678, "notes": ["the mark is mark-123-xyz.", "a"]])
        let endpoints = [
            Endpoint.get("/mark-123-xyz", query: ["q": "mark-123-xyz", "page": 1]), .post("/a", body: body),
            .post("/a", body: .form(["q": "mark-123-xyz"])),
            .post("/a", body: .string("a mark-123-xyz b", contentType: "text/plain")),
        ]
        site.server.enqueue(
            endpoints.indices.map {
                Response.text("\($0)").header("Set-Cookie", "a=mark-123-xyz").header("X-Api-Key", "12345678")
            })
        try await record { client in
            for endpoint in endpoints { _ = try await Fetch<String>(endpoint, of: client).promise.value }
        }
        let content = try String(contentsOf: file, encoding: .utf8)
        for secret in ["mark-123-xyz", "12345678"] { #expect(!content.contains(secret)) }
        let client = client(try HARReplay(file: file))
        for (index, endpoint) in endpoints.enumerated().reversed() {
            #expect(try await Fetch<String>(endpoint, of: client).promise.value == "\(index)")
        }
        let others = [
            Endpoint.get("/mark", query: ["q": "mark-123-xyz", "page": 2]),
            .post("/a", body: .json(["id": 12_345_678, "notes": ["the mark is mark-123-xyz!", "a"]])),
        ]
        for other in others {
            let code = try await failure { try await Fetch<String>(other, of: client).promise.value }.code
            #expect(code == .noStub)
        }
    }

    @Test func cancelledCallThatSharesATransferIsReplayed() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        try await record({ $0.uniqueness = .join }) { client in
            let calls = (0..<2).map { _ in Fetch<String>(.get("/a"), of: client).start() }
            try await gate.reached()
            for call in calls {
                call.cancel()
                _ = try? await call.value
            }
            gate.open()
        }
        #expect(try Recording(file: file).exchanges.map(\.isCancelled) == [true])
    }

    @Test func responseToHeadKeepsItsLength() async throws {
        site.server.answer("/a", with: .text("12345"))
        try await record { client in
            _ = try await client.send(HTTPRequest(method: .head, url: site.server.url("/a")))
            _ = try await client.send(HTTPRequest(url: site.server.url("/a")))
        }
        let client = client(try HARReplay(file: file))
        for method in [HTTPMethod.head, .get] {
            let response = try await client.send(HTTPRequest(method: method, url: site.server.url("/a")))
            #expect(response.headers["Content-Length"] == "5")
        }
    }

    @Test func responseOfACancelledRequestDoesNotArrive() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        try await record { client in
            for number in 1...3 {
                let call = Fetch<String>(.get("/a"), of: client).start()
                try await gate.reached(count: number)
                call.cancel()
                _ = try? await call.value
            }
            gate.open()
        }
        let replay = try HARReplay(file: file)
        let clock = ManualClock()
        let client = client(replay).with {
            $0.clock = clock
            $0.timeouts = Timeouts(idle: .seconds(5))
        }
        let cancelled = Fetch<String>(.get("/a"), of: client).start()
        await clock.sleepers(1)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let late = Fetch<String>(.get("/a"), of: client).start()
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        #expect(try await failure { try await late.value }.code == .idleTimedOut)
        try replay.verify()
        let last = Fetch<String>(.get("/a"), of: client).start()
        await clock.sleepers(1)
        await replay.shutdown()
        #expect(try await failure { try await last.value }.code == .shutDown)
    }

    @Test func textsInOtherEncodingsAreCompared() async throws {
        site.server.answer("/a", with: .text("ok"))
        let body = Body.data(Data([0x67, 0x72, 0xFC, 0xDF]), contentType: "text/plain; charset=iso-8859-1")
        try await record { _ = try await Fetch<String>(.post("/a", body: body), of: $0).promise.value }
        let client = client(try HARReplay(file: file))
        #expect(try await Fetch<String>(.post("/a", body: body), of: client).promise.value == "ok")
    }

    @Test func jsonIsComparedByItsValues() async throws {
        site.server.answer("/a", with: .text("ok"))
        try await record { client in
            _ = try await Fetch<String>(
                .post("/a", body: .string(#"{"a":1,"b":[2]}"#, contentType: "application/json")), of: client
            ).promise.value
        }
        let client = client(try HARReplay(file: file))
        #expect(
            try await failure {
                try await Fetch<String>(
                    .post("/a", body: .string(#"{"a":1,"b":[3]}"#, contentType: "application/json")), of: client
                ).promise.value
            }.code == .noStub)
        let same = Fetch<String>(
            .post("/a", body: .string(#"{ "b": [2], "a": 1 }"#, contentType: "application/json")), of: client)
        #expect(try await same.promise.value == "ok")
    }

    @Test func anotherServerIsFoundOnlyLeniently() async throws {
        site.server.answer("/a", with: .text("ok"))
        try await record { _ = try await text($0, "/a") }
        let other = URL(string: "https://api.example.com")
        #expect(
            try await failure {
                try await text(client(HARReplay(file: file), at: other), "/a")
            }.code == .noStub)
        #expect(try await text(client(HARReplay(file: file, matching: .lenient), at: other), "/a") == "ok")
    }

    // MARK: Misses

    @Test func missNamesTheNearestRequestAndTheDifference() async throws {
        site.server.answer("/users", with: .text("ok"))
        site.server.answer("/orders", with: .text("ok"))
        try await record { client in
            _ = try await text(client, "/orders", query: ["page": 1])
            _ = try await text(client, "/users", query: ["page": 1])
        }
        let replay = try HARReplay(file: file)
        let error = await #expect(throws: RequestError.self) {
            try await text(client(replay), "/users", query: ["page": 2])
        }
        #expect(error?.code == .noStub)
        #expect(
            error?.detail == """
                no exchange was recorded for this request: the nearest recorded request is GET \(site.server.url("/users")): \
                there the query has page=1, and the query does not have page=2
                """)
        #expect(error?.isRetryable == false)
        let problem = #expect(throws: RecordingError.self) { try replay.verify() }
        #expect(
            problem?.message == """
                the run differs from its recording:
                  not recorded: GET \(site.server.url("/users")): the nearest recorded request is \
                GET \(site.server.url("/users")): there the query has page=1, and the query does not have page=2
                  not requested: GET \(site.server.url("/orders"))?page=1 -> 200
                  not requested: GET \(site.server.url("/users"))?page=1 -> 200
                """)
    }

    @Test func bodyThatWasNotRecordedIsAnError() async throws {
        site.server.answer("/a", with: .text("a long body"))
        let recorder = try HARRecorder(file: file, limits: HARRecorder.Limits(body: 4))
        let client = Client(baseURL: site.server.url) { $0.observers = [recorder] }
        _ = try await text(client, "/a")
        recorder.close()
        let error = await #expect(throws: RequestError.self) {
            try await text(self.client(try HARReplay(file: file)), "/a")
        }
        #expect(error?.code == .noStub)
        #expect(error?.detail.contains("does not have the body") == true)
    }

    @Test func notModifiedIsForConditionalRequestsOnly() async throws {
        let replay = HARReplay(
            try Recording(
                Data(
                    """
                    {"log": {"version": "1.2", "entries": [
                        {"request": {"method": "GET", "url": "http://a.test/x"}, "response": {"status": 304}},
                        {"request": {"method": "GET", "url": "http://a.test/x"},
                         "response": {"status": 200, "content": {"size": 2, "text": "ok"}}}]}}
                    """.utf8)))
        #expect(try await text(client(replay, at: URL(string: "http://a.test")), "/x") == "ok")
    }

    // MARK: Files

    @Test func fileOfABrowserIsReplayed() async throws {
        // Fields as Chrome writes them.
        let recording = try Recording(
            Data(
                """
                {"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "pages": [], "entries": [{
                    "_initiator": {"type": "other"}, "_priority": "High", "cache": {}, "connection": "443",
                    "request": {"method": "POST", "url": "https://api.example.com/login?token=abc", "httpVersion": "http/2.0",
                        "headers": [{"name": ":authority", "value": "api.example.com"}], "queryString": [], "cookies": [],
                        "headersSize": -1, "bodySize": 9,
                        "postData": {"mimeType": "application/x-www-form-urlencoded", "text": "b=2&a=1+1", "params": []}},
                    "response": {"status": 200, "statusText": "", "httpVersion": "http/2.0",
                        "headers": [{"name": "content-encoding", "value": "br"}, {"name": "content-type", "value": "image/png"}],
                        "cookies": [], "content": {"size": 3, "mimeType": "image/png", "text": "AAEC", "encoding": "base64"},
                        "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 9, "_error": null},
                    "serverIPAddress": "[::1]", "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1.5,
                    "timings": {"blocked": 1, "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 1, "receive": 1}}]}}
                """.utf8))
        let call = Fetch<Data>(
            .post("/login", query: ["token": "another"], body: .form(["a": "1 1", "b": 2])),
            of: client(HARReplay(recording), at: URL(string: "https://api.example.com"))
        ).start()
        #expect(try await call.value == Data([0, 1, 2]))
        #expect(call.response?.version == .http2)
        #expect(call.response?.headers["Content-Encoding"] == nil)
    }

    @Test(arguments: [
        ("", "the recording is empty. Record it again."),
        (
            #"{"log": {"version": "1.2", "entries": [{"requ"#,
            "the recording is incomplete: it ends before its JSON does. Record it again."
        ),
        ("<html></html>", "the recording is incomplete: it ends before its JSON does. Record it again."),
        (#"{"log" {}}"#, "the recording is not JSON. Record it again."),
        (#"{"entries": []}"#, "the recording is not a HAR file: expected a value at log, found nothing."),
        (
            #"{"log": {"version": "1.2", "entries": [{"request": {"method": "GET"}, "response": {"status": 200}}]}}"#,
            "the recording is not a HAR file: expected a value at log.entries[0].request.url, found nothing."
        ),
        (
            #"{"log": {"entries": [{"request": {"method": "GET", "url": "http://a"}, "response": {"status": 20}}]}}"#,
            """
            the recording cannot be replayed: log.entries[0].response.status is 20, and a status has three digits. \
            Export it again.
            """
        ),
        (
            #"""
            {"log": {"entries": [{"request": {"method": "GET", "url": "http://a"},
                "response": {"status": 200, "content": {"text": "%%", "encoding": "base64"}}}]}}
            """#,
            """
            the recording cannot be replayed: log.entries[0].response.content.text is not base64, which its encoding says. \
            Export it again.
            """
        ),
        (
            #"""
            {"log": {"entries": [{"request": {"method": "GET", "url": "http://a"},
                "response": {"status": 200, "content": {"text": "a", "encoding": "gzip"}}}]}}
            """#,
            """
            the recording cannot be replayed: log.entries[0].response.content has the encoding "gzip", which is not base64. \
            Export it again.
            """
        ),
        (
            #"{"log": {"version": "2.0", "entries": []}}"#,
            """
            the recording has the version 2.0 of the format, and only 1.1 and 1.2 can be read. Export it again as HAR 1.2.
            """
        ),
    ])
    func badFileIsAClearError(_ content: String, _ message: String) {
        let error = #expect(throws: RecordingError.self) { try Recording(Data(content.utf8)) }
        #expect(error?.message == message)
    }

    @Test func missingFileIsAnErrorWithItsPath() {
        let error = #expect(throws: RecordingError.self) { try HARReplay(file: file) }
        #expect(error?.message.contains(file.path) == true)
    }

    // MARK: Transport

    @Test func requestsThatTransportsRefuseAreRefused() async throws {
        let replay = HARReplay(try Recording(Data(#"{"log": {"entries": []}}"#.utf8)))
        let bad = HTTPRequest(url: site.server.url("/a"), headers: ["X-A": "a\r\nb: c"])
        #expect(try await failure { try await replay.send(bad) }.code == .badHeader)
        await replay.shutdown()
        #expect(try await failure { try await replay.send(HTTPRequest(url: site.server.url)) }.code == .shutDown)
    }

    @Test func bodyAboveTheLimitFails() async throws {
        site.server.answer("/a", with: .text("12345"))
        try await record { _ = try await text($0, "/a") }
        let replay = try HARReplay(file: file)
        let error = try await failure {
            try await replay.send(
                HTTPRequest(url: site.server.url("/a")), options: TransportOptions(delivery: .whole(limit: 4)))
        }
        #expect(error.code == .responseTooLarge)
        #expect(error.response?.status == 200)
    }

    // MARK: Fixtures

    @Test func fixtureIsRecordedOnceAndReplayedThen() async throws {
        site.server.answer("/a", with: .text("ok"))
        for run in 1...3 {
            let fixture = try HARFixture(file: file)
            #expect(fixture.isRecording == (run == 1))
            let client = Client(baseURL: site.server.url) { fixture.apply(to: &$0) }
            #expect(try await text(client, "/a") == "ok")
            await client.shutdown()
            try fixture.finish()
        }
        #expect(site.server.requests.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.url.path) == ["run.har"])
    }

    @Test func runThatWasNotFinishedLeavesNoFixture() async throws {
        site.server.answer("/a", with: .text("ok"))
        do {
            let fixture = try HARFixture(file: file)
            let client = Client(baseURL: site.server.url) { fixture.apply(to: &$0) }
            _ = try await text(client, "/a")
            await client.shutdown()
        }
        #expect(try HARFixture(file: file).isRecording)
        #expect(throws: RecordingError.self) { try HARFixture(file: file, mode: .replay) }
    }

    @Test func fixtureReportsARunThatDiffers() async throws {
        site.server.answer("/a", with: .text("ok"))
        try await record { _ = try await text($0, "/a") }
        let fixture = try HARFixture(file: file)
        let error = #expect(throws: RecordingError.self) { try fixture.finish() }
        #expect(error?.message.contains("not requested: GET \(site.server.url("/a")) -> 200") == true)
    }
}
