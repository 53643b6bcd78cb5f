import Synchronization

/// The statistics of a client while it runs.
final class StatisticsRecorder: Sendable {
    private let state = Mutex(ClientStatistics())

    var statistics: ClientStatistics { state.withLock { $0 } }

    func reset() {
        let old = state.withLock { replace(&$0, with: ClientStatistics()) }
        withExtendedLifetime(old) {}
    }

    func update(_ host: String, _ change: (inout ClientStatistics.Host) -> Void) {
        state.withLock { $0.update(host, change) }
    }

    /// Returns the host of a request, with its port unless it is that of the scheme.
    static func host(of request: HTTPRequest) -> String {
        let parts = URLParts(request.url.absoluteString[...])
        return parts.authority?.withoutDefaultPort(parts.scheme) ?? ""
    }
}
