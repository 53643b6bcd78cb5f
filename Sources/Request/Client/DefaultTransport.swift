/// The transport of clients that are not given one.
enum DefaultTransport {
    #if os(Linux)
        static var shared: any Transport { CurlTransport.shared }
    #else
        static var shared: any Transport { MissingTransport() }
    #endif
}

#if !os(Linux)
    /// Refuses everything, where there is no transport yet.
    private struct MissingTransport: Transport {
        var capabilities: TransportCapabilities { [] }

        func send(_ request: HTTPRequest, options: TransportOptions) async throws -> HTTPResponse {
            throw RequestError(
                .noTransport, phase: .prepare, detail: "this platform has no transport yet: give the client one",
                request: request)
        }

        func shutdown() async {}
    }
#endif
