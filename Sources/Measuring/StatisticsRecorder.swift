import Synchronization

extension Client.Configuration {
    /// A Boolean value that indicates whether the client counts and measures its calls: see `Client.statistics`.
    public var collectsStatistics: Bool {
        get { features[Statistics.self] != nil }
        set { features[Statistics.self] = newValue ? Statistics() : nil }
    }
}

extension Client {
    /// The counts and times of the client's calls that have ended; empty unless
    /// `Client.Configuration.collectsStatistics` is true.
    ///
    /// A client that is derived with `with(_:)` has statistics of its own.
    public var statistics: ClientStatistics { recorder?.statistics ?? ClientStatistics() }

    /// Sets all counts and times of `Client.statistics` to zero.
    public func resetStatistics() { recorder?.reset() }

    private var recorder: StatisticsRecorder? { meter as? StatisticsRecorder }
}

/// The feature of clients that collect statistics.
struct Statistics: ClientFeature {
    func meter() -> (any CallMeter)? { StatisticsRecorder() }

    var setting: String? { "statistics: on" }
}

/// The statistics of a client while it runs.
final class StatisticsRecorder: CallMeter {
    private let state = Mutex(ClientStatistics())

    var statistics: ClientStatistics { state.withLock { $0 } }

    func reset() {
        let old = state.withLock { replace(&$0, with: ClientStatistics()) }
        withExtendedLifetime(old) {}
    }

    func attemptEnded(_ attempt: Attempt, _ outcome: Result<HTTPResponse, any Error>) {
        let time = attempt.started.duration(to: .now)
        update(attempt.request) { host in
            host.attempts += 1
            // The bytes of a streamed response are counted at its end.
            if attempt.ended != nil { host.addBytes(of: attempt) }
            if attempt.cause == .retry { host.retries += 1 }
            switch outcome {
            case .success: host.attemptTimes.add(time)
            case .failure(let error):
                if !(error is CancellationError) { host.failedAttempts += 1 }
            }
        }
    }

    func bodyEnded(of attempt: Attempt) {
        update(attempt.request) { $0.addBytes(of: attempt) }
    }

    func callEnded(_ call: AnyCall, as kind: FinishedState, after time: Duration) {
        guard let request = call.core.newestRequest else { return }
        let source = call.core.response?.source
        let hasJoined = call.core.joinedCall != nil
        update(request) { host in
            switch kind {
            case .success: host.succeeded += 1
            case .failure, .duplicate: host.failed += 1
            case .cancelled: host.cancelled += 1
            }
            if kind == .success {
                host.callTimes.add(time)
                switch source {
                case .cache: host.cacheHits += 1
                case .validated: host.cacheValidations += 1
                case .network, nil: break
                }
            }
            if hasJoined { host.joined += 1 }
        }
    }

    private func update(_ request: HTTPRequest, _ change: (inout ClientStatistics.Host) -> Void) {
        // With the port, unless it is that of the scheme.
        let parts = URLParts(request.url.absoluteString[...])
        let host = parts.authority?.withoutDefaultPort(parts.scheme) ?? ""
        state.withLock { $0.update(host, change) }
    }
}

extension ClientStatistics.Host {
    fileprivate mutating func addBytes(of attempt: Attempt) {
        bytesSent += attempt.bytesSent
        bytesReceived += attempt.bytesReceived
    }
}
