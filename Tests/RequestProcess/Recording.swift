import TangoCompression
import TangoTesting

#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoCache
    import TangoRequest

    extension RequestProcess {
        /// Records calls until the process is killed, and prints the number of entries after each.
        static func recording(to path: String) async throws {
            let recorder = try HARRecorder(file: URL(fileURLWithPath: path))
            let client = Client(baseURL: URL(string: "http://localhost")) {
                $0.transport = ManyPages()
                $0.observers = [recorder]
            }
            while true {
                _ = try await client.get("/a", as: Data.self).value
                tell("entries", recorder.count)
            }
        }

        /// Prints the error of a call whose stub is compressed.
        static func compressedStub() async throws {
            let mock = MockTransport()
            mock.stub(.get, "/a", .data(Data([0x1f, 0x8b, 8])).header("Content-Encoding", "gzip"))
            let client = Client(baseURL: URL(string: "https://api.example.com")) { $0.transport = mock }
            do {
                _ = try await client.get("/a", as: Data.self).value
            } catch let error as RequestError {
                tell("code", error.code)
                tell("detail", error.detail)
            }
        }

        /// Sends compressed bodies of each kind.
        static func compressedBody() async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "body-\(UUID())")
            try Data("a".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let stream = Body.stream {
                AsyncStream<Data> { continuation in
                    continuation.yield(Data("a".utf8))
                    continuation.finish()
                }
            }
            let client = Client(baseURL: URL(string: "https://api.example.com")) { $0.transport = MockTransport() }
            try await sendCompressed("data", .string("a"), by: client)
            try await sendCompressed("file", .file(file), by: client)
            try await sendCompressed("stream", stream, by: client)
        }

        private static func sendCompressed(_ kind: String, _ body: Body, by client: Client) async throws {
            do {
                try await client.post("/a", body: body.compressed(), as: Void.self).value
            } catch let error as RequestError {
                tell(kind, "\(error.code) \(error.detail)")
            }
        }

        /// Records calls of many kinds: two bodies, a retry, a redirect, a response from the cache, and a failure.
        static func recordSample(to path: String) async throws {
            let server = try LoopbackServer()
            server.enqueue(
                .bytes(Data([0, 1, 255])), .status(503), .redirect(to: "/text"),
                Response.text("Grüße").header("Cache-Control", "max-age=60"),
                Response.text("lost").failing(.reset, at: .response))
            let recorder = try HARRecorder(file: URL(fileURLWithPath: path))
            let client = Client(baseURL: server.url, cache: MemoryStore()) {
                $0.observers = [recorder]
                $0.retryPolicy = .exponential(attempts: 2, base: .zero, cap: .zero)
            }
            _ = try await client.post("/bytes", body: .form(["a": 1, "b": "c d"]), as: Data.self).value
            _ = try await client.get("/retried", as: String.self).value
            _ = try await client.get("/text", as: String.self).value
            _ = try? await client.post("/lost", body: .json(["id": 1]), as: String.self).value
            await client.shutdown()
            recorder.close()
        }

        /// Responds at once, with a body of many pages.
        private struct ManyPages: Transport {
            let capabilities: TransportCapabilities = []

            func start(
                _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
            ) -> TransportTask {
                completion {
                    HTTPResponse(
                        status: 200, headers: ["Content-Type": "text/plain"],
                        body: Data(repeating: UInt8(ascii: "x"), count: Int.random(in: 1...300_000)), request: request)
                }
                return .completed
            }

            func shutdown() async {}
        }
    }
#endif
