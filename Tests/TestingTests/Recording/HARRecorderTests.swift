import ChildProcesses
import Foundation
import LoopbackServer
import TangoCache
import TangoCookies
import TangoPromise
import TangoRequest
import Testing

@testable import TangoTesting
@testable import TestSupport

/// Recordings in the format HAR 1.2.
@Suite(.timeLimit(.minutes(20)))
struct HARRecorderTests {
    private let site: Site
    private let files = ScratchFiles()
    private var file: URL { files.url.appendingPathComponent("run.har") }

    init() throws { site = try Site() }

    private func recorded(
        limits: HARRecorder.Limits = HARRecorder.Limits(), cache: (any CacheStore)? = nil,
        _ change: (inout Client.Configuration) -> Void = { _ in }, _ work: (Client) async throws -> Void
    ) async throws -> HARContents {
        let recorder = try HARRecorder(file: file, limits: limits)
        let client = Client(baseURL: site.server.url, cache: cache) {
            $0.timeouts = .patient
            $0.observers = [recorder]
            change(&$0)
        }
        try await work(client)
        await client.shutdown()
        recorder.close()
        #expect(recorder.error == nil)
        return try HARContents(file)
    }

    private func get(_ path: String, _ client: Client) async throws {
        _ = try await Fetch<Data>(.get(path), of: client).promise.value
    }

    @Test func exchangeHasTheFieldsOfTheFormat() async throws {
        site.server.answer(
            "/a", with: Response.json(#"{"id":1}"#).header("Set-Cookie", "sid=1; Path=/").header("X-Mark", "m"))
        let contents = try await recorded { client in
            _ = try await Fetch<Data>(
                .post("/a", query: ["page": 2, "name": "A b"], headers: ["Cookie": "a=b; c=d"], body: .json(["x": 1])),
                of: client
            ).promise.value
        }
        #expect(contents.problems == [])
        let entry = try #require(contents.entries.first)
        #expect(entry["request", "method"] == "POST")
        #expect(entry["request", "url"] == "\(site.server.url("/a"))?page=2&name=A%20b")
        #expect(entry["request", "httpVersion"] == "HTTP/1.1")
        #expect(entry.pairs("request", "queryString") == ["page=2", "name=A b"])
        #expect(entry.pairs("request", "cookies") == ["a=…", "c=…"])
        #expect(entry["request", "postData", "text"] == #"{"x":1}"#)
        #expect(entry["request", "postData", "mimeType"] == "application/json")
        #expect(entry["request", "bodySize"] == "7")
        #expect(entry["response", "status"] == "200")
        #expect(entry["response", "statusText"] == "OK")
        #expect(entry["response", "content", "text"] == #"{"id":1}"#)
        #expect(entry["response", "content", "size"] == "8")
        #expect(entry["response", "bodySize"] == "8")
        #expect(entry.pairs("response", "cookies") == ["sid=…"])
        #expect(entry.pairs("response", "headers").contains("X-Mark=m"))
        #expect(entry["serverIPAddress"] == "127.0.0.1")
        #expect(entry["_attempt"] == "1")
        #expect(entry["_cause"] == "first")
    }

    /// A server may repeat what it was sent in any field.
    @Test func typesOfBodiesHideSecrets() async throws {
        let response = Response(headers: ["Content-Type": "text/plain; x=rt-1234567"], body: .bytes(Array("a".utf8)))
        site.server.answer("/a", with: response)
        let contents = try await recorded { client in
            let request = Fetch<Data>(.post("/a", body: .form(["refresh_token": "rt-1234567"])), of: client)
            _ = try await request.promise.value
        }
        let entry = try #require(contents.entries.first)
        #expect(entry["response", "content", "mimeType"]?.hasPrefix("text/plain") == true)
        #expect(!"\(entry)".contains("rt-1234567"))
    }

    @Test func everyAttemptIsAnEntry() async throws {
        site.server.enqueue(
            Response.text("lost").failing(.reset, at: .response), .status(503), .redirect(to: "/b"), .text("ok"))
        let contents = try await recorded({
            $0.retryPolicy = .exponential(attempts: 3, base: .zero, cap: .zero)
        }) { try await get("/a", $0) }
        #expect(contents.problems == [])
        let entries = contents.entries
        #expect(entries.map { $0["_cause"] } == ["first", "retry", "retry", "redirect"])
        #expect(entries.map { $0["response", "status"] } == ["0", "503", "302", "200"])
        #expect(Set(entries.map { $0["_call"] }).count == 1)
        #expect(entries[0]["response", "_error"]?.contains("connectionLost") == true)
        #expect(entries[2]["response", "redirectURL"] == "/b")
    }

    @Test func cancelledAttemptIsAnEntry() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        let contents = try await recorded { client in
            let call = Fetch<String>(.get("/a"), of: client).start()
            try await gate.reached()
            call.cancel()
            gate.open()
        }
        #expect(contents.problems == [])
        #expect(contents.entries.map { $0["response", "_code"] } == ["cancelled"])
        #expect(try Recording(file: file).exchanges.map(\.isCancelled) == [true])
    }

    @Test func responseFromTheCacheIsAnEntry() async throws {
        site.server.answer("/a", with: Response.text("ok").header("Cache-Control", "max-age=600"))
        let contents = try await recorded(cache: MemoryStore()) { client in
            try await get("/a", client)
            try await get("/a", client)
        }
        #expect(contents.problems == [])
        #expect(contents.entries.map { $0["_cache"] } == [nil, "fresh"])
        #expect(contents.entries.map { $0["response", "bodySize"] } == ["2", "0"])
        #expect(contents.entries[1]["response", "content", "text"] == "ok")
        #expect(contents.entries[1]["time"] == "0")
    }

    @Test func callsThatShareATransferAreOneEntry() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        let contents = try await recorded({ $0.uniqueness = .join }) { client in
            let calls = (0..<3).map { _ in Fetch<String>(.get("/a"), of: client).start() }
            try await gate.reached()
            gate.open()
            for call in calls { _ = try await call.value }
        }
        #expect(contents.entries.count == 1)
    }

    @Test func callThatLeavesASharedTransferHasNoEntry() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        let contents = try await recorded({ $0.uniqueness = .join }) { client in
            let calls = (0..<2).map { _ in Fetch<String>(.get("/a"), of: client).start() }
            try await gate.reached()
            calls[0].cancel()
            _ = try? await calls[0].value
            gate.open()
            #expect(try await calls[1].value == "ok")
        }
        #expect(contents.entries.map { $0["response", "content", "text"] } == ["ok"])
    }

    @Test func binaryBodyIsBase64() async throws {
        let bytes = Data([0, 1, 2, 255])
        site.server.answer("/a", with: .bytes(bytes))
        let contents = try await recorded { client in
            _ = try await Fetch<Data>(.post("/a", body: .data(bytes, contentType: "a/b")), of: client).promise.value
        }
        #expect(contents.problems == [])
        let entry = try #require(contents.entries.first)
        #expect(entry["response", "content", "encoding"] == "base64")
        #expect(entry["response", "content", "text"] == bytes.base64EncodedString())
        #expect(entry["request", "postData", "_encoding"] == "base64")
        #expect(entry["request", "postData", "text"] == bytes.base64EncodedString())
    }

    @Test func compressionIsTheDifference() async throws {
        let zipped = Gzip.zeroes(repeats: 100)
        site.server.answer("/a", with: Response.bytes(zipped, type: "text/plain").header("Content-Encoding", "gzip"))
        let contents = try await recorded { try await get("/a", $0) }
        let entry = try #require(contents.entries.first)
        let size = Data(base64Encoded: entry["response", "content", "text"] ?? "")?.count ?? 0
        #expect(size > zipped.count)
        #expect(entry["response", "content", "size"] == "\(size)")
        #expect(entry["response", "bodySize"] == "\(zipped.count)")
        #expect(entry["response", "content", "compression"] == "\(size - zipped.count)")
    }

    @Test func limitsAreSaid() async throws {
        site.server.answer("/a", with: .text("long body"))
        let contents = try await recorded(limits: HARRecorder.Limits(entries: 2, body: 4)) { client in
            for _ in 0..<5 { try await get("/a", client) }
        }
        #expect(contents.problems == [])
        #expect(contents.entries.count == 2)
        #expect(contents.entries[0]["response", "content", "text"] == nil)
        #expect(contents.entries[0]["response", "content", "size"] == "9")
        #expect(contents.entries[0]["response", "content", "comment"]?.contains("4 bytes") == true)
        #expect(contents.comment == "3 entries were left out, because of the limits of the recorder")
    }

    @Test func streamedBodyIsASize() async throws {
        let gate = Gate()
        site.server.answer("/a", with: .generated(bytes: 300_000).held(by: gate, at: .responseBody))
        let contents = try await recorded { client in
            var response = try await client.send(HTTPRequest(.get, site.server, "/a"), delivery: .stream)
            gate.open()
            try await response.collect()
        }
        #expect(contents.problems == [])
        #expect(contents.entries.count == 1)
        #expect(contents.entries[0]["response", "status"] == "200")
        #expect(contents.entries[0]["response", "bodySize"] == "300000")
        #expect(contents.entries[0]["response", "content", "size"] == "300000")
        #expect(contents.entries[0]["response", "content", "text"] == nil)
    }

    @Test func failureEndsTheRecordingAndNoCall() async throws {
        site.server.answer("/a", with: .text("ok"))
        let recorder = try HARRecorder(file: file)
        let client = site.client(observers: [recorder])
        try await get("/a", client)
        #expect(recorder.count == 1)
        // A folder cannot be replaced by the next copy.
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        try await get("/a", client)
        #expect(recorder.error?.message.contains("cannot rename") == true)
        #expect(recorder.dropped == 1)
        try await get("/a", client)
        #expect(recorder.dropped == 1)
    }

    /// The body of an exchange may own the recorder, which is then released on the queue that has written the exchange.
    @Test func writtenExchangeMayBeTheLastOwner() async throws {
        site.server.answer("/a", with: .text("a"))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        _ = try await call.value
        let attempt = try #require(call.attempts.last)
        var response = try #require(attempt.response)
        let url = site.server.url("/a")
        func addedExchange() throws -> HARWriter {
            let recorder = try HARRecorder(file: file)
            let body = Body.stream {
                _ = recorder.count
                return AsyncStream<Data> { $0.finish() }
            }
            response.request = HTTPRequest(url: url, body: body)
            recorder.writer.add(RecordedExchange(attempt, response, hasBody: true, of: call))
            response.request = nil
            return recorder.writer
        }
        let writer = try addedExchange()
        // The first write releases the recorder, and the second one comes after its end.
        for _ in 1...2 { await writer.finish() }
        #expect(writer.isClosed)
        #expect(try HARContents(file).entries.count == 1)
    }

    @Test func shutdownWaitsForTheFile() async throws {
        site.server.answer("/a", with: .text(String(repeating: "é\"\\\u{1}\n", count: 10_000)))
        let recorder = try HARRecorder(file: file)
        let client = site.client(observers: [recorder])
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await get("/a", client) } }
            try await group.waitForAll()
        }
        await client.shutdown()
        let contents = try HARContents(file)
        #expect(contents.problems == [])
        #expect(contents.entries.count == 20)
        let text = String(repeating: "é\"\\\u{1}\n", count: 10_000)
        #expect(contents.entries.allSatisfy { $0["response", "content", "encoding"] == "base64" })
        #expect(contents.entries[19]["response", "content", "text"] == Data(text.utf8).base64EncodedString())
    }

    /// A recorder beside another observer gets the same events.
    @Test(arguments: [false, true]) func bodiesOfRejectedAttemptsAreRecorded(_ isObserved: Bool) async throws {
        site.server.enqueue(Response.text("busy").status(503), .text("ok \"\\\t\n"))
        let contents = try await recorded({
            $0.retryPolicy = .exponential(attempts: 2, base: .zero, cap: .zero)
            if isObserved { $0.observe { _ in } }
        }) { try await get("/a", $0) }
        #expect(contents.problems == [])
        #expect(contents.entries.map { $0["_cause"] } == ["first", "retry"])
        #expect(contents.entries.map { $0["response", "content", "text"] } == ["busy", "ok \"\\\t\n"])
    }

    @Test func folderThatIsMissingIsAnError() throws {
        let missing = files.url.appendingPathComponent("missing/run.har")
        let error = #expect(throws: RecordingError.self) { try HARRecorder(file: missing) }
        #expect(error?.message.contains(missing.path) == true)
    }

    @Test func fileIsReplacedAndItsCopiesAreRemoved() async throws {
        try Data("something else".utf8).write(to: file)
        try Data("left by a killed process".utf8).write(to: URL(fileURLWithPath: file.path + ".1"))
        site.server.answer("/a", with: .text("ok"))
        let contents = try await recorded { try await get("/a", $0) }
        #expect(contents.entries.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.url.path) == ["run.har"])
    }

    #if os(Linux)
        /// A body has up to 70 pages, and a kill cuts a write off between two of them.
        @Test(arguments: 0..<6)
        func fileOfAKilledProcessIsComplete(_ number: Int) async throws {
            let reported = try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            let process = try ChildProcess(command: [
                                ChildProcess.executable("RequestProcess"), "recording", file.path,
                            ])
                            var last = 0
                            for _ in 0..<(number * 3 + 1) {
                                last = process.line().flatMap { Int($0.drop { $0 != " " }.dropFirst()) } ?? last
                            }
                            process.send(SIGKILL)
                            _ = process.end()
                            return last
                        })
                }
            }
            let contents = try HARContents(file)
            #expect(contents.problems == [])
            #expect(contents.entries.count >= reported)
            #expect(reported > 0)
        }
    #endif
}
