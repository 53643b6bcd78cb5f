#if os(Linux) && URLSessionOnLinux
    import Foundation
    import Testing

    @testable import TangoRequest
    @testable import TangoURLSession
    @testable import TestSupport

    /// Delegate calls of a session on Linux.
    @Suite(.timeLimit(.minutes(20))) struct SessionCallsTests {
        @Test("a slow delegate call slows its callers down but never blocks them")
        func slowCallsDoNotBlockCallers() async throws {
            let calls = SessionCalls()
            let made = Recorded<Int>()
            let gate = DispatchSemaphore(value: 0)
            calls.addOperation { gate.wait() }
            let start = ContinuousClock.now
            for number in 0..<258 { calls.addOperation { made.add(number) } }
            #expect(ContinuousClock.now - start >= .milliseconds(20))
            #expect(made.all.isEmpty)
            gate.signal()
            await withCheckedContinuation { continuation in calls.addOperation { continuation.resume() } }
            #expect(made.all == Array(0..<258))
        }
    }
#endif
