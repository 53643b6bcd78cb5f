import Testing

@testable import TangoRequest
@testable import TestSupport

/// The decisions about requests of a device without a network.
struct ConnectivityDecisionTests {
    @Test(arguments: [
        (ConnectivityStatus.available, ConnectivityDecision.Step.send), (.unknown, .send), (.unavailable, .wait),
    ])
    func requestWaitsOnlyWithoutANetwork(_ status: ConnectivityStatus, _ step: ConnectivityDecision.Step) {
        #expect(ConnectivityDecision.beforeSending(status) == step)
    }

    private static let errors: [(RequestError.Code, available: Bool, unknown: Bool, unavailable: Bool)] = [
        (.offline, true, true, true),
        (.hostNotFound, false, false, true),
        (.cannotConnect, false, false, true),
        (.connectTimedOut, false, false, false),
        (.connectionLost, false, false, false),
        (.proxyFailed, false, false, false),
        (.untrusted, false, false, false),
        (.badURL, false, false, false),
        (RequestError.Code(rawValue: "custom"), false, false, false),
    ]

    @Test(arguments: errors)
    func errorMeansOffline(_ code: RequestError.Code, available: Bool, unknown: Bool, unavailable: Bool) {
        #expect(ConnectivityDecision.isOffline(code, .available) == available)
        #expect(ConnectivityDecision.isOffline(code, .unknown) == unknown)
        #expect(ConnectivityDecision.isOffline(code, .unavailable) == unavailable)
        #expect(ConnectivityDecision.concerns(code) == unavailable)
    }

    /// The parts of a download wait for the same network.
    @Test func overlappingWaitsCountOnce() {
        var waited = WaitedTime()
        for (begin, end) in [(0, 10), (20, 25)] {
            let now = end
            waited.begin { .seconds(now - begin) }
            waited.begin { .seconds(now - begin - 2) }
            #expect(waited.current?() == .seconds(end - begin))
            waited.end(after: .seconds(end - begin - 1))
            #expect(waited.current != nil)
            waited.end(after: .seconds(end - begin))
            #expect(waited.current == nil)
        }
        #expect(waited.total == .seconds(15))
    }

    struct Row: Sendable {
        let failure: ConnectivityDecision.Failure
        let step: ConnectivityDecision.Step

        init(
            _ code: RequestError.Code, _ status: ConnectivityStatus, _ step: ConnectivityDecision.Step,
            _ change: (inout ConnectivityDecision.Failure) -> Void = { _ in }
        ) {
            var failure = ConnectivityDecision.Failure(code: code, status: status)
            change(&failure)
            self.failure = failure
            self.step = step
        }
    }

    private static let rows: [Row] = [
        Row(.offline, .unavailable, .wait),
        Row(.hostNotFound, .unavailable, .wait),
        Row(.cannotConnect, .unavailable, .wait),
        Row(.offline, .unavailable, .wait) { $0.phase = .prepare },
        // The status may be older than the failure, so the request is sent once more before it waits.
        Row(.offline, .available, .send),
        Row(.offline, .unknown, .send),
        Row(.offline, .available, .wait) { $0.isResent = true },
        Row(.offline, .unknown, .wait) { $0.isResent = true },
        Row(.offline, .unavailable, .wait) { $0.isResent = true },
        // The device got a network during the attempt.
        Row(.offline, .available, .send) {
            $0.isResent = true
            $0.hasChanged = true
        },
        Row(.offline, .unavailable, .wait) {
            $0.isResent = true
            $0.hasChanged = true
        },
        // The device has a network, and the server is the problem.
        Row(.hostNotFound, .available, .fail),
        Row(.cannotConnect, .unknown, .fail),
        Row(.connectionLost, .unavailable, .fail),
        // The call may not wait, or the request may have been sent, or cannot be sent again.
        Row(.offline, .unavailable, .fail) { $0.waits = false },
        Row(.offline, .unavailable, .fail) { $0.phase = .send },
        Row(.offline, .unavailable, .fail) { $0.phase = .receive },
        Row(.offline, .unavailable, .fail) { $0.isReplayable = false },
    ]

    @Test(arguments: rows)
    func failureIsFollowedByAStep(_ row: Row) {
        #expect(ConnectivityDecision.after(row.failure) == row.step)
    }
}
