import Testing

@testable import TangoHTTP
@testable import TangoRequest

/// The phases of an exchange, from the points in time that transports measure.
struct AttemptPhasesTests {
    private func metrics(
        _ resolved: Int? = nil, _ connected: Int? = nil, _ secured: Int? = nil, _ started: Int? = nil,
        _ firstByte: Int? = nil, _ finished: Int? = nil
    ) -> AttemptMetrics {
        var metrics = AttemptMetrics()
        metrics.resolved = resolved.map { .milliseconds($0) }
        metrics.connected = connected.map { .milliseconds($0) }
        metrics.secured = secured.map { .milliseconds($0) }
        metrics.requestStarted = started.map { .milliseconds($0) }
        metrics.firstByte = firstByte.map { .milliseconds($0) }
        metrics.finished = finished.map { .milliseconds($0) }
        return metrics
    }

    private func milliseconds(_ phases: AttemptPhases) -> [Int?] {
        [phases.resolve, phases.connect, phases.secure, phases.prepare, phases.wait, phases.receive].map { phase in
            phase.map { Int($0 / .milliseconds(1)) }
        }
    }

    @Test func newConnectionHasAllPhases() {
        #expect(milliseconds(metrics(1, 3, 6, 10, 15, 21).phases) == [1, 2, 3, 4, 5, 6])
    }

    @Test func reusedConnectionHasNoPhasesOfConnecting() {
        #expect(milliseconds(metrics(nil, nil, nil, 1, 5, 7).phases) == [nil, nil, nil, 1, 4, 2])
    }

    @Test func unknownPointIsPartOfTheNextPhase() {
        #expect(milliseconds(metrics(nil, 3, nil, nil, 15, nil).phases) == [nil, 3, nil, nil, 12, nil])
        #expect(milliseconds(AttemptMetrics().phases) == [nil, nil, nil, nil, nil, nil])
    }

    @Test func exchangeWithoutAFirstByteEndsInTheLastPhaseThatBegan() {
        #expect(milliseconds(metrics(1, 3, 6, 10, nil, 21).phases) == [1, 2, 3, 4, 11, nil])
        #expect(milliseconds(metrics(1, 3, 6, nil, nil, 21).phases) == [1, 2, 3, 15, nil, nil])
        #expect(milliseconds(metrics(1, 3, nil, nil, nil, 21).phases) == [1, 2, 18, nil, nil, nil])
        #expect(milliseconds(metrics(1, nil, nil, nil, nil, 21).phases) == [1, 20, nil, nil, nil, nil])
        #expect(milliseconds(metrics(nil, nil, nil, nil, nil, 21).phases) == [nil, nil, nil, nil, 21, nil])
    }

    @Test func noPhaseIsNegative() {
        #expect(milliseconds(metrics(9, 3, 2, 1, 15, 14).phases) == [9, 0, 0, 0, 6, 0])
    }

    @Test func queueAndEndAreTaken() {
        var metrics = metrics(nil, nil, nil, 1, 2, nil)
        metrics.queued = .milliseconds(7)
        let phases = AttemptPhases(metrics, end: .milliseconds(9))
        #expect(phases.queue == .milliseconds(7))
        #expect(phases.receive == .milliseconds(7))
    }
}
