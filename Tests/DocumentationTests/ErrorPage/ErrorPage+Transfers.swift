import TangoTesting

#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoPromise

    @testable import TangoCurl
    @testable import TangoHTTP
    @testable import TangoRequest
    @testable import TangoURLSession
    @testable import TestSupport

    /// Errors of connections, and of requests that a server receives.
    extension ErrorPage {
        mutating func addTransfers() async throws {
            try await connections()
            try await exchanges()
            try await streams()
            try await downloads()
            try await calls()
            try await stubs()
            refusals()
            addRefusalsOfURLSession()
        }

        private mutating func connections() async throws {
            let network = ScriptedConnectivity()
            let client = Client {
                $0.transport = CurlTransport(CurlConfiguration(proxy: .direct))
                $0.connectivity = network
            }
            func get(_ url: String, by client: Client = client) async throws -> Any {
                try await client.get(url, as: String.self).value
            }
            await add("A host without an address.") { try await get("http://no-such-host.invalid/users") }
            await add("A host without an address, and a device without a network.") {
                network.status = .unavailable
                return try await get("http://no-such-host.invalid/users")
            }
            await add("A device that has no network for longer than a request may wait.") {
                let clock = ManualClock()
                let client = client.with {
                    $0.clock = clock
                    $0.waitsForConnectivity = .seconds(30)
                }
                let call = Fetch<String>(.get("http://api.example.com/users"), of: client).start()
                while call.state != .waitingForConnectivity { await Task.yield() }
                clock.advance(by: .seconds(30))
                return try await call.value
            }
            network.status = .available
            let closed = try ReservedPort()
            await add("A port at which no server listens.") { try await get(closed.url("/users").absoluteString) }
            let full = try FullListener()
            await add("A server that accepts no connection.") {
                let client = Client { $0.timeouts.connect = .milliseconds(50) }
                return try await get("http://127.0.0.1:\(full.port)/users", by: client)
            }
            let hosts = [
                ("A proxy without an address.", "no-such-proxy.invalid"), ("A proxy without a host.", ""),
                ("A proxy with a space in its host.", "a b"),
            ]
            for (cause, host) in hosts {
                await add(cause) {
                    let proxy = Proxy.http(host: host, port: 3128)
                    let client = Client { $0.transport = CurlTransport(CurlConfiguration(proxy: proxy)) }
                    return try await get("http://example.com/users", by: client)
                }
            }
            await add("A path of a Unix socket that is too long.") {
                let path = "/run/" + String(repeating: "a", count: 115)
                let client = Client { $0.transport = CurlTransport(CurlConfiguration(unixSocket: path)) }
                return try await client.get("http://api.example.com/users", as: String.self).value
            }
            await add("A proxy with the port 0.") {
                let proxy = Proxy.http(host: "proxy.example.com", port: 0)
                let client = Client { $0.transport = CurlTransport(CurlConfiguration(proxy: proxy)) }
                return try await get("http://example.com/users", by: client)
            }
            for (cause, status) in [
                ("A proxy that requires a password.", 407), ("A proxy that forbids the server.", 403),
            ] {
                let tunnels = try status == 407 ? TunnelProxy(requiring: "ada:secret") : TunnelProxy(refusing: status)
                await add(cause) {
                    let proxy = Proxy.http(host: "127.0.0.1", port: tunnels.port)
                    let client = Client { $0.transport = CurlTransport(CurlConfiguration(proxy: proxy)) }
                    return try await get("https://example.com/users", by: client)
                }
            }
            let server = try LoopbackServer()
            await add("An `https` URL with a port for `http`.") {
                try await get("https://127.0.0.1:\(server.port)/users")
            }
        }

        private mutating func exchanges() async throws {
            let server = try LoopbackServer()
            let client = Client(baseURL: server.url) {
                $0.transport = CurlTransport(CurlConfiguration(proxy: .direct))
                $0.retryPolicy = .never
            }
            func get(_ answer: Response, by client: Client = client) async throws -> Any {
                server.enqueue(answer)
                return try await client.get("/users", as: Data.self).value
            }
            let answers = [
                (
                    "The server closes the connection instead of responding.",
                    Response.text("a").failing(.close, at: .response)
                ),
                ("The connection ends within the head.", Response.text("a").failing(.truncate, at: .responseHead)),
                (
                    "The connection ends within the body.",
                    Response.generated(bytes: 100_000).failing(.close, at: .responseBody)
                ),
                ("The body ends without its last chunk.", Response.chunks(["a"], isEnded: false).closing()),
                ("A response that is not HTTP.", Response.raw("SSH-2.0-OpenSSH_9.9\r\n")),
                ("A status line without a status.", Response.raw("HTTP/1.1 abc\r\n\r\n")),
                (
                    "Two lengths of one body.",
                    Response.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
                ),
                ("A chunk whose length is not a number.", Response.chunks([Response.Chunk("a", size: "xyz")])),
                (
                    "A head of a megabyte.",
                    Response.text("a").header("X-Name", String(repeating: "a", count: 1_000_000))
                ),
                (
                    "A body that is not compressed as announced.",
                    Response.text("no gzip").header("Content-Encoding", "gzip")
                ),
                ("A redirect to something else than a web page.", Response.redirect(to: "mailto:ada@example.com")),
                ("A status of 300, which leaves the choice.", Response.redirect(to: "/de/users", status: 300)),
            ]
            for (cause, answer) in answers { await add(cause) { try await get(answer) } }
            await add("A redirect in a loop.") {
                server.enqueue(.redirect(to: "/users"))
                return try await get(.redirect(to: "/users"))
            }
            await add("A small compressed body with a huge content.") {
                let bomb = Gzip.bomb(repeats: 60_000, isWhole: true)
                return try await get(.bytes(bomb).header("Content-Encoding", "gzip"))
            }
            await add("A body above the limit.") {
                let client = Client(baseURL: server.url) { $0.responseLimit = 1000 }
                return try await get(.generated(bytes: 2000), by: client)
            }
            await add("A server that stops sending.") {
                let client = Client(baseURL: server.url) { $0.timeouts.idle = .milliseconds(100) }
                return try await get(.text("a").failing(.stall, at: .response), by: client)
            }
            await add("More requests wait than a limiter allows.") {
                let limiter = Limiter(queue: 0)
                limiter.suspend()
                let client = Client(baseURL: server.url) { $0.limiter = limiter }
                return try await client.get("/users", as: Data.self).value
            }
            await add("A response that takes longer than an attempt may.") {
                let client = Client(baseURL: server.url) { $0.timeouts.attempt = .milliseconds(100) }
                while true {
                    do {
                        return try await get(.text("a").failing(.stall, at: .response), by: client)
                    } catch let error as RequestError where error.phase == .connect {
                        // The machine is so busy that connecting took all the time.
                    }
                }
            }
            await add("The connection of a `POST` ends without a response.") {
                server.enqueue(.text("a").failing(.close, at: .response))
                return try await client.post("/users", body: .string("Ada"), as: Data.self).value
            }
        }

        private mutating func streams() async throws {
            let server = try LoopbackServer()
            server.answer(with: .generated(bytes: 2000))
            let client = Client(baseURL: server.url) {
                $0.transport = CurlTransport(CurlConfiguration(proxy: .direct))
                $0.retryPolicy = .never
            }
            await add("A streamed body is collected, and has more bytes than the limit.") {
                var response = try await client.send(HTTPRequest(.get, server, "/film"), delivery: .stream)
                try await response.collect(upTo: 1000)
                return response
            }
            await add("A streamed body is read twice.") {
                let stream = try await client.send(HTTPRequest(.get, server, "/film"), delivery: .stream).stream
                for try await _ in stream {}
                for try await _ in stream {}
                return stream
            }
            server.answer("/log", with: .text("a line\nanother line"))
            await add("A line of a stream exceeds its limit.") {
                let response = try await client.send(HTTPRequest(.get, server, "/log"), delivery: .stream)
                for try await _ in Lines(response, limit: 10) {}
                return response
            }
            server.answer("/updates", with: .events(["an event"]))
            await add("An event of a stream exceeds its limit.") {
                let response = try await client.send(HTTPRequest(.get, server, "/updates"), delivery: .stream)
                for try await _ in EventStream<String>(response, policy: EventStreamPolicy(eventLimit: 10)) {}
                return response
            }
            await add("A line of an NDJSON body is not a value.") {
                let response = try await client.send(HTTPRequest(.get, server, "/log"), delivery: .stream)
                for try await _ in NDJSON<Int>(response) {}
                return response
            }
            await add("A body is written to a closed descriptor.") {
                try await client.send(HTTPRequest(.get, server, "/log"), delivery: .stream).stream.write(to: -1)
            }
            server.answer("/list", with: .json("[1]").header("Link", "</list>; rel=next"))
            await add("A page links to itself.") {
                for try await _ in GetList(client).pages {}
                return client
            }
            let body = Body.stream(Self.stream("Ada"))
            _ = try await client.post("/users", body: body, as: Data.self).value
            await add("The same stream is sent twice.") {
                try await client.post("/users", body: body, as: Data.self).value
            }
            for length in [2, 5] {
                await add("A stream of 3 bytes that announces \(length).") {
                    try await client.post(
                        "/users", body: .stream(Self.stream("Ada"), length: length), as: Data.self
                    ).value
                }
            }
            await add("A file that changes before it is sent.") {
                let folder = TemporaryFolder()
                let file = folder.url.appendingPathComponent("a.txt")
                try Data("Ada".utf8).write(to: file)
                var reader = try Multipart(parts: [.file(file, named: "photo")]).reader()
                try Data("Ada Lovelace".utf8).write(to: file)
                do {
                    return try reader.next(upTo: .max) as Any
                } catch let error as RequestEncodingError {
                    throw RequestError(error)
                }
            }
            await add("A stream of the application that throws.") {
                struct DiskError: Error {}
                let body = Body.stream {
                    AsyncThrowingStream<Data, any Error> { continuation in continuation.finish(throwing: DiskError()) }
                }
                return try await client.post("/users", body: body, as: Data.self).value
            }
        }

        private final class GetList: Request<[Int]> {
            let site: Client
            init(_ site: Client) { self.site = site }
            override var client: Client { site }
            override var endpoint: Endpoint { .get("/list") }
        }

        private static func stream(_ text: String) -> AsyncStream<Data> {
            AsyncStream { continuation in
                continuation.yield(Data(text.utf8))
                continuation.finish()
            }
        }

        private mutating func stubs() async throws {
            let mock = MockTransport()
            mock.stub(.get, "/users/{id}", fileID: "AppTests/UserTests.swift", line: 12)
            let client = Client(baseURL: URL(string: "https://api.example.com")) { $0.transport = mock }
            await add("A request for which a test has no stub.") {
                try await client.get("/user/1", as: String.self).value
            }
            await add("A test whose requests differ from its stubs.") { try mock.verify() }
            let recording = try Recording(
                Data(
                    """
                    {"log": {"version": "1.2", "entries": [{
                        "request": {"method": "GET", "url": "https://api.example.com/users?page=1"},
                        "response": {"status": 200}
                    }]}}
                    """.utf8))
            let replay = Client(baseURL: URL(string: "https://api.example.com")) { $0.transport = HARReplay(recording) }
            await add("A request that is not in a recording.") {
                try await replay.get("/users", query: ["page": 2], as: String.self).value
            }
            await add("A recording of which the end is missing.") {
                try Recording(Data(#"{"log": {"entries": [{"#.utf8))
            }
        }

        private mutating func calls() async throws {
            let server = try LoopbackServer()
            let gate = Gate()
            server.answer(with: .text("a").held(by: gate))
            defer { gate.open() }
            await add("A call that does not finish in time.") {
                let clock = ManualClock()
                let client = Client(baseURL: server.url) {
                    $0.clock = clock
                    $0.timeouts.total = .seconds(30)
                }
                let promise = client.get("/users", as: String.self)
                _ = try await server.next()
                clock.advance(by: .seconds(30))
                return try await promise.value
            }
            for (cause, rule) in [
                ("A second call with `.reject`.", Uniqueness.reject), ("An older call with `.replace`.", .replace),
            ] {
                await add(cause) {
                    let client = Client(baseURL: server.url) { $0.uniqueness = rule }
                    let first = client.get("/users", as: String.self)
                    let second = client.get("/users", as: String.self)
                    defer {
                        first.cancel()
                        second.cancel()
                    }
                    return try await (rule == .reject ? second : first).value
                }
            }
            await add("A call whose application has been in the background for too long.") {
                struct Over: BackgroundTime {
                    func begin(_ name: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
                        onExpiry()
                        return {}
                    }
                }
                let client = Client(baseURL: URL(string: "https://api.example.com")) {
                    $0.backgroundPolicy = .finish
                    $0.backgroundTime = Over()
                }
                return try await client.post("/orders", as: String.self).value
            }
            await add("A call of a client that was shut down.") {
                let client = Client(baseURL: server.url)
                await client.shutdown()
                return try await client.get("/users", as: String.self).value
            }
            await add("A call with a transport that was shut down.") {
                let transport = CurlTransport(CurlConfiguration(proxy: .direct))
                await transport.shutdown()
                return try await Client(baseURL: server.url) { $0.transport = transport }.get("/users", as: String.self)
                    .value
            }
        }

        /// Errors that need another system, transport or libcurl.
        private mutating func refusals() {
            let url = URL(string: "https://api.example.com/users")!
            let request = HTTPRequest(url: url)
            var upload = HTTPRequest(url: URL(string: "http://api.example.com/users")!)
            upload.body = .string("a")
            let trust = TransportOptions(trust: .minimumTLS(.v1_3))
            add("An `https` URL, and a transport without TLS.", refusal([], request))
            add("A body in a `GET` request, and a transport that cannot send it.", refusal([], upload))
            upload.body = .stream(AsyncStream<Data> { $0.finish() }, length: -1)
            add("A stream with a negative length.", refusal([], upload))
            add("A rule of trust that the transport does not support.", refusal(.tls, request, trust))
            add("No libcurl on the system.", CurlLibrary.unusable("libcurl.so.4: cannot open shared object file"))

            let codes: [(RequestError.Code, RequestError.Phase, String)] = [
                (.notProcessed, .wait, "An HTTP/2 server closes a connection before it has read the request."),
                (.offline, .connect, "An address to which the system has no route."),
                (.outOfResources, .connect, "The process has no descriptors left."),
                (.transportFailed, .wait, "Another failure of libcurl."),
                (.unsupported, .prepare, "A libcurl without a feature."),
                (
                    .bodyNotReplayable, .send,
                    "A connection ends while a stream is sent, and libcurl has to send it again."
                ),
                (.badTrust, .connect, "A client certificate with another key."),
            ]
            guard let address = try? ServerAddress(url) else { return }
            for (code, phase, cause) in codes {
                let detail = code.detail(for: address, .default, message: "libcurl 1: x")
                add(cause, RequestError(code, phase: phase, detail: detail, request: request))
            }
            add("A model whose module isolates it to the main actor.", DecodingIsolation(of: LoopbackServer.self).error)
        }

        private func refusal(
            _ capabilities: TransportCapabilities, _ request: HTTPRequest,
            _ options: TransportOptions = TransportOptions()
        ) -> any Error {
            capabilities.refusal(of: request, options: options) ?? NothingThrown() as any Error
        }

        /// Requests that `URLSession` would change.
        private mutating func addRefusalsOfURLSession() {
            let rules = SessionRefusal(
                reserved: ["host"], capitalized: ["GET"], removesDots: true, isProxyInEnvironment: true,
                survivesTrailers: false, takesKeysOfPEM: false)
            let url = URL(string: "https://api.example.com/users")!
            func refused(
                _ cause: String, _ request: HTTPRequest, proxy: Proxy = .environment, trust: ServerTrust = .system
            ) {
                let error = rules.refusal(of: request, proxy: proxy, rules: trust.rules(for: "api.example.com"))
                add("`URLSessionTransport`: \(cause)", error ?? NothingThrown() as any Error)
            }
            refused("a method in lower case.", HTTPRequest(method: "get", url: url))
            refused("a path with dots.", HTTPRequest(url: URL(string: "https://api.example.com/a/../b")!))
            refused("a header that the system sets.", HTTPRequest(url: url, headers: ["Host": "a"]))
            refused("another encoding.", HTTPRequest(url: url, headers: ["Accept-Encoding": "br"]))
            refused("trailers.", HTTPRequest(url: url, headers: ["TE": "trailers"]))
            refused("no proxy.", HTTPRequest(url: url), proxy: .direct)
            refused("a proxy of its own.", HTTPRequest(url: url), proxy: .http(host: "proxy.example.com", port: 3128))
            let certificate = ServerTrust.clientCertificate(.pem("a"), key: .pem("b"))
            refused("a client certificate as PEM.", HTTPRequest(url: url), trust: certificate)
        }
    }
#endif
