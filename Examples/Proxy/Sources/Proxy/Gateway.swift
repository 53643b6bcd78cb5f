import Foundation
import LoopbackServer
import Synchronization
import Tango
import TangoMeasuring

/// A service that forwards requests to a server, and protects it: by a cache, limits, a budget for retries, and deadlines.
final class Gateway: Sendable {
    struct Settings: Sendable {
        /// The longest time for a request, with all its retries.
        var timeout: Duration = .seconds(10)
        /// The number of requests that the server gets at once, and the number of those that may wait.
        var limit = 16, queue = 200
        var attempts = 3
        var budget = RetryBudget(burst: 20, perRequest: 0.1, perSecond: 1)
        var cache: any CacheStore = MemoryStore(limits: CacheLimits(bytes: 64 << 20))
        /// The clock of timeouts and waits. Tests advance theirs.
        var clock: any Clock<Duration> = ContinuousClock()
    }

    let settings: Settings
    /// Sends all outgoing requests. Its statistics are those of the service.
    let upstream: Client
    /// Only for an example: it accepts connections of this machine, and reads whole requests into memory.
    private let listener: LoopbackServer
    private let responses = Mutex<[Int: Int]>([:])

    init(upstream url: URL, port: Int = 0, settings: Settings = Settings()) throws {
        self.settings = settings
        upstream = Client(baseURL: url, cache: settings.cache) {
            $0.limiter = Limiter(total: settings.limit, queue: settings.queue)
            $0.retryPolicy = .exponential(attempts: settings.attempts, base: .milliseconds(20), cap: .seconds(1))
            $0.retryBudget = settings.budget
            // Requests for the same resource wait for one transfer.
            $0.uniqueness = .join
            // Bodies and redirects are passed on as they are.
            $0.decompression = nil
            $0.redirectPolicy = .refuse
            $0.attemptInterceptors = [DeadlineInterceptor(), TraceInterceptor { Incoming.current?.trace }]
            $0.collectsStatistics = true
            $0.clock = settings.clock
        }
        listener = try LoopbackServer(port: port, recording: .none)
        listener.answer { [weak self] request in await self?.response(to: request) ?? .status(503) }
    }

    var url: URL { listener.url }

    /// Ends the calls in flight, and returns when their connections are closed.
    func shutdown() async {
        listener.stop()
        await upstream.shutdown()
    }

    /// The metrics of the service, and of its outgoing calls, for Prometheus.
    var metrics: String {
        let counts = responses.withLock(\.self).sorted { $0.key < $1.key }
        let lines = counts.map { status, count in "proxy_responses_total{status=\"\(status)\"} \(count)\n" }
        return "# TYPE proxy_responses_total counter\n" + lines.joined() + upstream.statistics.prometheus
    }

    private func response(to request: RecordedRequest) async -> Response {
        if request.path == "/metrics" { return .text(metrics) }
        let incoming = Incoming(request, longest: settings.timeout)
        let response = await Incoming.$current.withValue(incoming) { await forward(request, within: incoming.timeout) }
        responses.withLock { $0[response.status, default: 0] += 1 }
        return response
    }

    private func forward(_ request: RecordedRequest, within timeout: Duration) async -> Response {
        do {
            let response = try await Forwarded(request, within: timeout, by: upstream).promise.value
            return Response(response, to: request.method)
        } catch {
            // An error of the server is passed on, too. It counts as a failure before, so that it is retried.
            if let error = error.asRequestError, error.code == .badStatus, let response = error.response {
                return Response(response, to: request.method)
            }
            return Response(error)
        }
    }
}
