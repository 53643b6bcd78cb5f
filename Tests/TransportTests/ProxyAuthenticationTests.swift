#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoAuth
    @testable import TangoRequest
    @testable import TestSupport

    /// Proxies that require `Digest`.
    @Suite(.timeLimit(.minutes(20))) struct ProxyAuthenticationTests {
        private func transport(
            _ proxy: DigestProxy, password: String = "secret-1", _ scheme: Proxy.Authentication = .digest
        ) -> CurlTransport {
            CurlTransport(
                CurlConfiguration(
                    proxy: .http(
                        host: "127.0.0.1", port: proxy.port, user: "ada", password: password, authentication: scheme)))
        }

        @Test(arguments: [Proxy.Authentication.digest, .strongest], [Hash.md5, .sha256])
        func plainRequestsGetCredentials(_ scheme: Proxy.Authentication, _ hash: Hash) async throws {
            let proxy = try DigestProxy(hash)
            let transport = transport(proxy, scheme)
            for delivery in [TransportOptions.Delivery.whole(limit: nil), .stream] {
                let url = try #require(URL(string: "http://a.test/b?c"))
                let request = HTTPRequest(method: .post, url: url, body: .string("hello"))
                var response = try await transport.send(request, options: TransportOptions(delivery: delivery))
                try await response.collect(upTo: nil)
                #expect(response.status == 200)
                #expect(response.body == Data("POST http://a.test/b?c hello".utf8))
                #expect(response.headers["Proxy-Authenticate"] == nil)
            }
            #expect(proxy.accepted.count == 2)
            #expect(proxy.rejected == 1)
            #expect(proxy.basic == 0)
            await transport.shutdown()
        }

        @Test(arguments: [Proxy.Authentication.digest, .strongest])
        func tunnelsGetCredentials(_ scheme: Proxy.Authentication) async throws {
            let server = try LoopbackServer()
            let proxy = try DigestProxy(.sha256)
            let transport = transport(proxy, scheme)
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            let error = await refusal { try await transport.send(HTTPRequest(url: url)) }
            // The server has no TLS, so an open tunnel is seen by the failed handshake.
            #expect(error?.code == .tlsFailed, "\(String(describing: error))")
            #expect(proxy.accepted == ["CONNECT 127.0.0.1:\(server.port)"])
            #expect(proxy.rejected == 1)
            await transport.shutdown()
        }

        @Test(arguments: [Proxy.Authentication.digest, .strongest, .basic])
        func wrongPasswordIsNotSentAgain(_ scheme: Proxy.Authentication) async throws {
            let proxy = try DigestProxy(.sha256)
            let client = Client {
                $0.transport = transport(proxy, password: "wrong-1", scheme)
                $0.retryPolicy = .standard
            }
            let tunnel = await refusal { try await client.get("https://a.test/", as: String.self).value }
            #expect(tunnel?.code == .proxyAuthenticationRequired)
            #expect(tunnel?.detail.contains("accepts Digest") == true)
            #expect(tunnel.map { "\($0)" }?.contains("wrong-1") == false)
            #expect(proxy.rejected == (scheme == .basic ? 1 : 2))
            let plain = await refusal { try await client.get("http://a.test/", as: String.self).value }
            #expect(plain?.response?.status == .proxyAuthenticationRequired)
            #expect(proxy.rejected <= (scheme == .basic ? 2 : 4))
            #expect(proxy.accepted.isEmpty)
            await client.configuration.transport.shutdown()
        }

        @Test(arguments: ["no", ""])
        func unsupportedRejectionIsTheResponse(_ body: String) async throws {
            let proxy = try DigestProxy(.sha256, unsupported: body)
            let transport = transport(proxy)
            let url = try #require(URL(string: "http://a.test/"))
            for delivery in [TransportOptions.Delivery.whole(limit: nil), .stream] {
                var response = try await transport.send(
                    HTTPRequest(url: url), options: TransportOptions(delivery: delivery))
                try await response.collect(upTo: nil)
                #expect(response.status == .proxyAuthenticationRequired)
                #expect(response.body == Data(body.utf8))
                #expect(response.proxyChallenges.map(\.scheme) == ["Negotiate"])
            }
            await transport.shutdown()
        }
    }

    /// An HTTP proxy that requires `Digest` of the user `ada` with the password `secret-1`. It responds to `http` requests itself.
    private final class DigestProxy: Sendable {
        private let accepts = Recorded<String>()
        private let rejections = Recorded<Bool>()
        private let listener: RawListener

        /// - Parameter unsupported: The body of all rejections, which require a scheme that is not supported; nil for `Digest`.
        init(_ hash: Hash, unsupported: String? = nil) throws {
            let accepts = accepts
            let rejections = rejections
            listener = try RawListener { client in
                while let (head, body) = Self.request(of: client) {
                    let words = head.split(separator: " ")
                    guard words.count > 2 else { return }
                    let lines = head.components(separatedBy: "\r\n")
                    let field = lines.first { $0.lowercased().hasPrefix("proxy-authorization: ") }?.dropFirst(21)
                    let sent = field.flatMap { Challenge.all(in: [String($0)]).first }
                    guard Self.isRight(sent, method: String(words[0]), hash) else {
                        rejections.add(sent?.isOf("Basic") ?? false)
                        let challenge =
                            unsupported != nil
                            ? "Negotiate"
                            : "Digest realm=\"office\", nonce=\"n\", qop=\"auth\", algorithm=\(hash.rawValue)"
                        let text = unsupported ?? "no"
                        let rejection = [
                            "HTTP/1.1 407 No", "Proxy-Authenticate: \(challenge)", "Content-Length: \(text.utf8.count)",
                            "",
                            text,
                        ]
                        client.write(Array(rejection.joined(separator: "\r\n").utf8))
                        continue
                    }
                    accepts.add("\(words[0]) \(words[1])")
                    guard words[0] == "CONNECT" else {
                        let text = "\(words[0]) \(words[1]) \(body)"
                        client.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8))
                        continue
                    }
                    guard let port = words[1].split(separator: ":").last.flatMap({ Int($0) }),
                        let server = RawConnection(to: port)
                    else { return }
                    client.write(Array("HTTP/1.1 200 Connected\r\n\r\n".utf8))
                    Thread.detachNewThread { TunnelProxy.pass(from: client, to: server) }
                    return TunnelProxy.pass(from: server, to: client)
                }
            }
        }

        var port: Int { listener.port }
        var accepted: [String] { accepts.all }
        var rejected: Int { rejections.all.count }
        /// The number of passwords that the proxy has seen.
        var basic: Int { rejections.all.filter { $0 }.count }

        private static func isRight(_ sent: Challenge?, method: String, _ hash: Hash) -> Bool {
            guard let sent, sent.isOf("Digest"), let target = sent["uri"], let counter = sent["nc"],
                let nonce = sent["cnonce"], let secret = try? hash.hex("ada:office:secret-1".utf8),
                let message = try? hash.hex("\(method):\(target)".utf8)
            else { return false }
            return sent["response"] == (try? hash.hex("\(secret):n:\(counter):\(nonce):auth:\(message)".utf8))
        }

        private static func request(of client: RawConnection) -> (head: String, body: String)? {
            var bytes: [UInt8] = []
            while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                guard let byte = client.read(atMost: 1) else { return nil }
                bytes += byte
            }
            let head = String(decoding: bytes, as: UTF8.self)
            let length =
                head.components(separatedBy: "\r\n")
                .first { $0.lowercased().hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
            return (head, String(decoding: client.read(exactly: length), as: UTF8.self))
        }
    }
#endif
