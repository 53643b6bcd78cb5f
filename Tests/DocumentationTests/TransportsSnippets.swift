import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import TangoRequest
import TangoURLSession
import Testing

@testable import TestSupport

/// The code of "Transports", and tests of the claims of that article.
@Suite struct TransportsSnippets: SampleAPI {
    #if os(Linux)
        @Test func configuring() async throws {
            let transport = CurlTransport(
                CurlConfiguration(
                    proxy: .direct, addresses: ["api.example.com": ["127.0.0.1"]], limit: 64, limitPerHost: 6))
            let client = Client(baseURL: server.url) { $0.transport = transport }
            #expect(try await client.get("/users/1", as: User.self).value.name == "Ada")

            let url = URL(string: "http://api.example.com:\(server.port)/users/1")
            let response = try await client.send(HTTPRequest(url: #require(url)))
            #expect(response.status == .ok)
        }

        @Test func unixSockets() async throws {
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("tango-\(UUID().uuidString)").path
            let server = try LoopbackServer(unixSocket: path)
            server.answer("/version", with: .text("1.44"))
            let local = CurlTransport(CurlConfiguration(unixSocket: path))
            let daemon = Client(baseURL: URL(string: "http://localhost")) { $0.transport = local }
            #expect(try await daemon.get("/version", as: String.self).value == "1.44")
        }
    #endif

    #if os(Linux)
        @Test func socksProxy() async {
            let tor = CurlTransport(CurlConfiguration(proxy: .socks5(host: "127.0.0.1", port: 9050)))
            #expect("\(tor.configuration.proxy)" == "socks5h://127.0.0.1:9050")
            await tor.shutdown()
        }
    #endif

    #if os(Linux)
        @Test func http3() async {
            let quick = CurlTransport(CurlConfiguration(http3: .preferred))
            #expect(quick.configuration.http3 == .preferred)
            await quick.shutdown()
        }
    #endif

    @Test func earlyHints() async throws {
        let server = try LoopbackServer()
        server.answer(with: .text("page").informational(103, headers: ["Link": "</style.css>"]))
        let links = Mutex<[String]>([])
        @Sendable func preload(_ more: [String]) { links.withLock { $0 += more } }
        let client = Client(baseURL: server.url) {
            $0.observe { event in
                if case .informational(.earlyHints, let headers) = event.kind { preload(headers.all("Link")) }
            }
        }
        let page = try await client.send(HTTPRequest(url: server.url("/page")))
        #expect(page.headers["Link"] == nil)
        #expect(links.withLock { $0 } == ["</style.css>"])
    }

    @Test func rawRequests() async throws {
        let url = server.url("/echo")
        var request = HTTPRequest(method: "REPORT", url: url, headers: ["X-Order": "1"], body: .string("all of it"))
        request.headers.append(name: "X-Order", value: "2")
        let response = try await client.send(request)
        #expect(String(decoding: response.body, as: UTF8.self).hasPrefix("REPORT /echo"))
        let sent = try #require(server.requests.last { $0.method == "REPORT" })
        #expect(sent.headers.all("X-Order") == ["1", "2"])
    }

    @Test func streaming() async throws {
        let film = try await client.send(HTTPRequest(url: server.url("/film")), delivery: .stream)
        var count = 0
        for try await portion in film.stream {
            count += portion.count
            if count > 100_000 { break }
        }
        #expect(count > 100_000)
    }

    struct CannedTransport: Transport {
        let answers: [String: String]

        var capabilities: TransportCapabilities { [.exactHeaders] }

        func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            completion {
                if let refusal = capabilities.refusal(of: request, options: options) { throw refusal }
                guard let answer = answers[request.url.path] else { return HTTPResponse(status: .notFound) }
                return HTTPResponse(
                    status: .ok, headers: ["Content-Type": "application/json"], body: Data(answer.utf8),
                    request: request)
            }
            return .completed
        }

        func shutdown() async {}
    }

    struct StampingTransport: Transport {
        let inner: any Transport

        var capabilities: TransportCapabilities { inner.capabilities }

        func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            TransportTask(completing: completion) {
                var request = request
                request.headers["X-Sent-At"] = "\(Date.now.timeIntervalSince1970)"
                return try await inner.send(request, options: options)
            }
        }

        func shutdown() async { await inner.shutdown() }
    }

    @Test func customTransport() async throws {
        let canned = Client(baseURL: URL(string: "http://api.example.com")) {
            $0.transport = CannedTransport(answers: ["/users/1": #"{"id": 1, "name": "Ada"}"#])
        }
        let ada = try await canned.get("/users/1", as: User.self).value
        #expect(ada.name == "Ada")
        let error = try await thrown { try await canned.get("https://api.example.com/", as: Data.self).value }
        #expect(error.code == .unsupported)
        let stamping = Client(baseURL: canned.baseURL) {
            $0.transport = StampingTransport(inner: canned.configuration.transport)
        }
        #expect(try await stamping.get("/users/1", as: User.self).value.name == "Ada")
    }

    @Test func completions() throws {
        let request = HTTPRequest(url: server.url)
        var results: [Result<HTTPResponse, any Error>] = []
        let completion = { (response: () throws -> HTTPResponse) in results.append(Result { try response() }) }
        completion { HTTPResponse(status: .noContent, request: request) }
        completion { throw RequestError(.hostNotFound, phase: .connect, detail: "no network", request: request) }
        #expect(try results[0].get().status == .noContent)
        #expect(throws: RequestError.self) { try results[1].get() }
    }
}

#if URLSessionOnLinux
    extension TransportsSnippets {
        @Test func sessions() async throws {
            let sessions = URLSessionTransport(URLSessionTransport.Configuration(limitPerHost: 6, buffer: 256 << 10))
            let careful = Client(baseURL: server.url) { $0.transport = sessions }
            #expect(try await careful.get("/users/1", as: User.self).value.name == "Ada")
            await sessions.shutdown()
        }
    }
#endif
