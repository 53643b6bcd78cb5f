/// The part of a run in the statistics of its client.
extension CallCore {
    /// Counts the end of an attempt.
    func measureEnd(of number: Int, _ outcome: Result<HTTPResponse, any Error>) {
        guard let statistics = plan.client.statisticsRecorder,
            let attempt = state.withLock({ $0.attempts[number: number] })
        else { return }
        let time = attempt.started.duration(to: .now)
        statistics.update(StatisticsRecorder.host(of: attempt.request)) { host in
            host.attempts += 1
            if attempt.cause == .retry { host.retries += 1 }
            switch outcome {
            case .success(let response):
                host.bytesSent += response.metrics.bodyBytesSent
                host.bytesReceived += response.metrics.bodyBytesReceived
                host.attemptTimes.add(time)
            case .failure(let error):
                if !(error is CancellationError) { host.failedAttempts += 1 }
            }
        }
    }

    /// Counts the bytes of a streamed body.
    func measureBody(of number: Int, _ end: AttemptBody.End) {
        guard let statistics = plan.client.statisticsRecorder, case .success(let ending?) = end,
            let request = state.withLock({ $0.attempts[number: number]?.request })
        else { return }
        statistics.update(StatisticsRecorder.host(of: request)) { $0.bytesReceived += ending.metrics.bodyBytesReceived }
    }

    /// Counts the end of the run.
    func measureEnd(_ kind: FinishedState) {
        guard let statistics = plan.client.statisticsRecorder, case .call = receiver, let began else { return }
        let time = began.instant.duration(to: .now)
        guard let request = newestRequest else { return }
        let source = response?.source
        statistics.update(StatisticsRecorder.host(of: request)) { host in
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
            if joinedCall != nil { host.joined += 1 }
        }
    }
}
