#if os(Linux)
    import TangoTransport
    import Testing

    @testable import TangoCurl

    /// The hosts that a request passes, by which tests decide whether it may be sent.
    struct RouteOfRequestTests {
        private func route(to url: String, _ configuration: CurlConfiguration) throws -> ServerCheck.Route {
            configuration.route(to: try ServerAddress(url))
        }

        @Test func proxyIsPassedBeforeTheServer() throws {
            let proxied = CurlConfiguration(
                proxy: .http(host: "Proxy.Example", port: 3128), addresses: ["api.example": ["127.0.0.1"]])
            #expect(try route(to: "http://api.example", proxied) == .through(["proxy.example"]))
            #expect(try route(to: "http://localhost", proxied) == .through(["proxy.example"]))
            let tunnel = CurlConfiguration(proxy: .socks5(host: "127.0.0.1", port: 1080))
            #expect(try route(to: "https://api.example", tunnel) == .through(["127.0.0.1"]))
        }

        @Test func addressesReplaceTheHost() throws {
            let addresses = [
                "api.example": ["127.0.0.1", "::1"], "localhost": ["192.0.2.2"], "b.example": ["192.0.2.3"],
            ]
            let fixed = CurlConfiguration(proxy: .direct, addresses: addresses)
            #expect(try route(to: "http://api.example", fixed) == .here)
            #expect(try route(to: "http://localhost", fixed) == .through(["192.0.2.2"]))
            #expect(try route(to: "http://b.example", fixed) == .direct)
            #expect(try route(to: "http://c.example", fixed) == .direct)
            #expect(try route(to: "http://c.example", CurlConfiguration(unixSocket: "/tmp/a")) == .here)
        }

        @Test(
            arguments: [
                (["http_proxy": "http://p.example:3128"], "http://a.example", "p.example"),
                (["http_proxy": "user:word@p.example:3128"], "http://localhost", "p.example"),
                (["HTTP_PROXY": "p.example"], "http://a.example", nil),
                (["http_proxy": "p.example"], "https://a.example", nil),
                (["https_proxy": "p.example"], "https://a.example", "p.example"),
                (["HTTPS_PROXY": "p.example"], "https://a.example", "p.example"),
                (["all_proxy": "socks5h://p.example:1080"], "https://a.example", "p.example"),
                (["http_proxy": "p.example", "no_proxy": "*"], "http://a.example", nil),
                (["http_proxy": "p.example", "no_proxy": "b.example, .a.example"], "http://x.A.example", nil),
                (["http_proxy": "p.example", "NO_PROXY": "localhost,example"], "http://a.example", nil),
                (["http_proxy": "p.example", "no_proxy": "a.example"], "http://ba.example", "p.example"),
                (["http_proxy": "", "all_proxy": ""], "http://a.example", nil),
                (["http_proxy": "p ?"], "http://a.example", "p ?"),
                (["http_proxy": "http://ada:don't tell@p:9x"], "http://a.example", "p:9x"),
                (["http_proxy": "http://ada:secret@"], "http://a.example", ""),
            ] as [([String: String], String, String?)])
        func proxyOfTheEnvironmentIsThatOfLibcurl(_ variables: [String: String], url: String, host: String?) throws {
            #expect(ProxyEnvironment(variables: variables).host(for: try ServerAddress(url)) == host)
        }
    }
#endif
