#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoAuth
    import TangoPromise
    import TangoRequest
    import TangoTesting
    import TangoTransfers
    import Testing

    @testable import TestSupport

    /// Requests to servers that are not on this device. A proxy of the test stands for the network: it would get them.
    @Suite(.timeLimit(.minutes(20)))
    struct RealServersTests {
        private let network: LoopbackServer
        private let transport: CurlTransport
        private let client: Client

        init() throws {
            RefusedServers.refuse()
            let network = try LoopbackServer()
            network.answer { request in .text("from \(request.target)") }
            self.network = network
            let transport = CurlTransport(CurlConfiguration(proxy: .http(host: "127.0.0.1", port: network.port)))
            self.transport = transport
            client = Client(baseURL: URL(string: "http://real.test")) {
                $0.transport = transport
                $0.retryPolicy = .standard
            }
        }

        /// A way to send a request to a real server.
        struct Door: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let open: @Sendable (Client) async throws -> Void

            init(_ name: String, _ open: @escaping @Sendable (Client) async throws -> Void) {
                testDescription = name
                self.open = open
            }
        }

        static let doors = [
            Door("a message") { _ = try await $0.send(HTTPRequest(url: try #require($0.baseURL))) },
            Door("a declared request") { _ = try await Fetch<String>(.get("/a"), of: $0).promise.value },
            Door("a request with an interceptor") { client in
                let client = client.with { $0.interceptors = [Pass()] }
                _ = try await client.get("/a", as: String.self).value
            },
            Door("a request of a handler") { client in
                let chain = Promise(1).next { _ in client.post("/a", body: .string("b"), as: String.self) }
                _ = try await chain.value
            },
            Door("a stream of events") { client in
                for try await _ in try await Fetch<EventStream<String>>(.get("/a"), of: client).promise.value {}
            },
            Door("a stream of lines") { client in
                for try await _ in try await Fetch<Lines>(.get("/a"), of: client).promise.value {}
            },
            Door("a download") { client in
                let files = ScratchFiles()
                let target = files.url.appendingPathComponent("a")
                _ = try await GetFile("/a", of: client, to: .file(target)).promise.value
            },
            Door("a client that is derived later") { client in
                let derived = client.with { $0.retryPolicy = .never }
                _ = try await derived.get("/a", as: String.self).value
            },
            Door("the default transport") { _ in
                let client = Client(baseURL: URL(string: "https://real.test"))
                _ = try await client.get("/a", as: String.self).value
            },
            Door("a redirect of a local server") { client in
                let server = try LoopbackServer()
                server.answer("/a", with: .redirect(to: "http://real.test/b"))
                _ = try await Client(baseURL: server.url).get("/a", as: String.self).value
            },
        ]

        private struct Pass: Interceptor {
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                try await next(request)
            }
        }

        @Test(arguments: doors) func requestFailsBeforeAnythingIsSent(_ door: Door) async throws {
            let error = try await failure { try await door.open(client) }
            #expect(error.code == .noStub, "\(error)")
            #expect(error.phase == .prepare)
            #expect(error.request?.url.host == "real.test")
            #expect(error.detail.contains("real.test"))
            #expect(network.connections.accepted == 0)
        }

        @Test func requestForATokenFails() async throws {
            let server = try LoopbackServer()
            let tokens = try #require(URL(string: "http://real.test/token"))
            let oauth = OAuth2(
                tokenURL: tokens, client: OAuthClient(id: "app", secret: "s-1234567"), grant: .clientCredentials())
            let client = Client(baseURL: server.url) {
                $0.transport = transport
                $0.authenticator = TokenAuthenticator(oauth)
            }
            let error = try await failure { try await client.get("/a", as: String.self).value }
            #expect(RequestError.Code.noStub ~= (error.underlying ?? error), "\(error)")
            #expect("\(error)".contains("RealServers.refuse()"))
            #expect(network.connections.accepted == 0)
        }

        @Test func refreshOfACachedResponseFails() async throws {
            let mock = MockTransport()
            let fields = ["Cache-Control": "max-age=0, stale-while-revalidate=60"]
            mock.stub(.get, "/a", .text("cached").header("Cache-Control", fields["Cache-Control"] ?? ""))
            let store = MemoryStore()
            let stubbed = Client(baseURL: client.baseURL, cache: store) { $0.transport = mock }
            #expect(try await stubbed.get("/a", as: String.self).value == "cached")
            await stubbed.shutdown()
            let facts = Facts()
            let refreshing = Client(baseURL: client.baseURL, cache: store) {
                $0.transport = transport
                $0.observers = [facts.observer()]
            }
            #expect(try await refreshing.get("/a", as: String.self).value == "cached")
            await facts.reached("refresh failed")
            #expect(network.connections.accepted == 0)
        }

        @Test func cachedResponseDoesNotHideTheRequest() async throws {
            let mock = MockTransport()
            mock.stub(.get, "/a", .text("cached").header("Cache-Control", "max-age=0, stale-if-error=60"))
            let store = MemoryStore()
            let stubbed = Client(baseURL: client.baseURL, cache: store) { $0.transport = mock }
            #expect(try await stubbed.get("/a", as: String.self).value == "cached")
            await stubbed.shutdown()
            for policy in [CachePolicy.http, .networkElseCache(maxAge: .seconds(60))] {
                let client = Client(baseURL: client.baseURL, cache: store) {
                    $0.transport = transport
                    $0.cachePolicy = policy
                }
                #expect(try await failure { try await client.get("/a", as: String.self).value }.code == .noStub)
            }
        }

        // MARK: Exceptions

        @Test(arguments: ["http://allowed.test/a", "http://ALLOWED.test/a", "http://b.allowed.test/a"])
        func allowedHostIsReached(_ text: String) async throws {
            let response = try await client.send(HTTPRequest(url: try #require(URL(string: text))))
            #expect(String(decoding: response.body, as: UTF8.self) == "from \(text)")
        }

        @Test func thisDeviceIsReached() async throws {
            for host in ["localhost", "127.0.0.1"] {
                let server = try LoopbackServer()
                server.answer("/a", with: .text("hello"))
                let client = Client(baseURL: URL(string: "http://\(host):\(server.port)"))
                #expect(try await client.get("/a", as: String.self).value == "hello")
            }
        }

        @Test func hostWithAnAddressOfThisDeviceIsReached() async throws {
            network.answer("/a", with: .text("hello"))
            let url = try #require(URL(string: "http://Named.test:\(network.port)/a"))
            for (addresses, isAllowed) in [(["127.0.0.1"], true), (["127.0.0.1", "192.0.2.1"], false)] {
                let transport = CurlTransport(
                    CurlConfiguration(proxy: .direct, addresses: ["named.test": addresses]))
                let client = Client { $0.transport = transport }
                if isAllowed {
                    #expect(try await client.send(HTTPRequest(url: url)).body == Data("hello".utf8))
                } else {
                    #expect(try await failure { try await client.send(HTTPRequest(url: url)) }.code == .noStub)
                }
            }
        }

        @Test func mockRespondsForAnyHost() async throws {
            let mock = MockTransport()
            mock.stub(.get, "/a", .text("stubbed"))
            let client = client.with { $0.transport = mock }
            #expect(try await client.get("/a", as: String.self).value == "stubbed")
        }

        // MARK: Texts

        private final class GetName: Request<String> {
            private let owner: Client
            init(_ owner: Client) { self.owner = owner }
            override var client: Client { owner }
            override var endpoint: Endpoint { .get("/names/1") }
        }

        @Test func errorNamesTheStubOfTheTest() async throws {
            let mock = MockTransport()
            mock.stub(.get, "/names/{id}", .text("Ada"), fileID: "AppTests/NameTests.swift", line: 12)
            // A newer mock without a stub for the request, and one whose closure must not see the requests of this test.
            let other = MockTransport()
            let seen = Facts()
            other.stub(.get, "/others")
            other.stub(where: { request in
                seen.note("\(request.url)")
                return true
            })
            let error = try await failure { try await GetName(client).promise.value }
            #expect(error.detail.contains("a mock has the stub GET /names/{id} (AppTests/NameTests.swift:12)"))
            #expect(error.detail.contains("pass the client of the test"))
            #expect(seen.all.isEmpty)
            #expect(other.requests.isEmpty)
        }

        @Test func errorNamesTheStubOfAClass() async throws {
            let mock = MockTransport()
            mock.stub(GetName.self, value: "Ada")
            let error = try await failure { try await GetName(client).promise.value }
            #expect(error.detail.contains("a mock has the stub GetName ("))
            #expect(mock.requests.isEmpty)
        }

        @Test func errorWithoutAStubSaysWhatToDo() async throws {
            let error = try await failure { try await client.get("/nothing/of/this", as: String.self).value }
            #expect(
                error.detail == """
                    RealServers.refuse() forbids requests to the real server real.test: give its client a MockTransport with a \
                    stub for the request, or allow the host with RealServers.refuse(except: "real.test")
                    """)
        }

        // MARK: The process

        @Test func oneLineIsForTheProcess() async throws {
            let child = try await RequestChild("realServers")
            #expect(child["before"] == "from http://real.test/a")
            #expect(child["during"] == "noStub")
            #expect(child["duringAsync"] == "noStub")
            #expect(child["between"] == "from http://real.test/a")
            #expect(child["after"] == "noStub")
            #expect(child["done"] == "yes")
        }
    }
#endif
