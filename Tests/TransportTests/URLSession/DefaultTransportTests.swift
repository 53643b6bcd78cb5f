#if os(Linux)
    import Foundation
    import Testing

    @testable import TangoRequest
    @testable import TestSupport
    import TangoURLSession

    /// The default transport of a client, and the trait that adds URLSession.
    @Suite struct DefaultTransportTests {
        @Test func clientsUseLibcurl() {
            #expect(Client().configuration.transport as? CurlTransport === CurlTransport.shared)
        }

        @Test func aClientUsesTheTransportThatItIsGiven() {
            let transport = CurlTransport()
            #expect(Client { $0.transport = transport }.configuration.transport as? CurlTransport === transport)
        }

        @Test(.enabled(if: URLSessionOnLinux.isEnabled || URLSessionOnLinux.isRequired, URLSessionOnLinux.comment))
        func urlSessionTransportIsTested() {
            #expect(URLSessionOnLinux.isEnabled, URLSessionOnLinux.comment)
            #expect(TransportUnderTest.all.map(\.name) == ["CurlTransport", "URLSessionTransport"])
        }
    }
#endif
