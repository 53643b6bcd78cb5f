@testable import TangoRequest
@testable import TestSupport

/// A simulation of 1,000 clients and a server with a fault, in virtual time.
///
/// The decisions and the budgets are those of the library. Times are numbers of milliseconds. All random numbers have
/// seeds, so equal simulations have equal results.
struct RetrySimulation {
    /// The way in which the clients retry. Each client has a budget of its own.
    struct Retries: Sendable {
        let policy: RetryPolicy
        var budget = RetryBudget.standard
        /// Without jitter, each wait has its upper end.
        var hasJitter = true
    }

    /// The server, which fails requests with 503.
    struct Server: Sendable {
        /// The seconds in which the server fails requests.
        let fault: Range<Int>
        /// The share of the requests that fail during the fault.
        var failing = 1.0
        /// The server sends no response during the fault. At its end, it fails all requests that wait.
        var isSilent = false
        /// The number of requests that can succeed in each window.
        var capacity = Int.max
    }

    /// The length of the windows in which requests are counted, in milliseconds.
    static let window = 100
    static let clients = 1_000

    /// The time between a request and its response, in milliseconds.
    private static let latency = 50

    private struct Attempt {
        let client: Int
        let number: Int
        let isOfFault: Bool
    }

    let retries: Retries
    let server: Server
    /// The length of the simulation. Each client starts one call in each second.
    var seconds = 60

    /// Returns the load of the server and the outcomes of the calls.
    func run() throws -> RetryLoad {
        let host = try ServerAddress("http://localhost")
        let budget = retries.budget
        let buckets = (0..<Self.clients).map { _ in
            RetryBudget(burst: budget.burst, perRequest: budget.perRequest, perSecond: budget.perSecond).buckets
        }
        var (failures, jitter) = (SeededNumbers(seed: 2), SeededNumbers(seed: 3))
        var load = RetryLoad(seconds: seconds)
        var attempts = firstAttempts()
        for time in attempts.indices {
            for attempt in attempts[time] {
                if attempt.isOfFault, attempt.number == 1 { load.calls += 1 }
                let served = load.countRequest(at: time)
                if attempt.number == 1 {
                    buckets[attempt.client].countRequest(to: host, at: Double(time) / 1_000)
                }
                let isFailed = isFault(time) && failures.fraction() < server.failing
                if !isFailed, served < server.capacity {
                    load.countSuccess(at: time)
                    if attempt.isOfFault { load.successes += 1 }
                    continue
                }
                let end = isFailed && server.isSilent ? server.fault.upperBound * 1_000 : time
                let response = end + Self.latency
                let random = retries.hasJitter ? jitter.fraction() : 1.0.nextDown
                let delay = delay(after: attempt, random) {
                    buckets[attempt.client].take(for: host, at: Double(response) / 1_000)
                }
                guard let delay, response + delay < attempts.count else { continue }
                attempts[response + delay].append(
                    Attempt(client: attempt.client, number: attempt.number + 1, isOfFault: attempt.isOfFault))
            }
            attempts[time] = []
        }
        return load
    }

    /// Returns the first attempts of all calls, by the millisecond of their start. Each client has a random phase.
    private func firstAttempts() -> [[Attempt]] {
        var phases = SeededNumbers(seed: 1)
        var attempts = [[Attempt]](repeating: [], count: seconds * 1_000)
        for client in 0..<Self.clients {
            for time in stride(from: Int(phases.next() % 1_000), to: attempts.count, by: 1_000) {
                attempts[time].append(Attempt(client: client, number: 1, isOfFault: isFault(time)))
            }
        }
        return attempts
    }

    /// Returns the wait before the next attempt, as the library decides it; nil if there is none.
    private func delay(after attempt: Attempt, _ random: Double, hasBudget: () -> Bool) -> Int? {
        var situation = RetryDecision.Situation(
            failure: .status(503, before: attempt.number - 1), attempts: attempt.number, random: random)
        guard RetryDecision.of(situation, retries.policy).delay != nil else { return nil }
        situation.hasBudget = hasBudget()
        return RetryDecision.of(situation, retries.policy).delay.map { Int(($0 / .milliseconds(1)).rounded()) }
    }

    private func isFault(_ time: Int) -> Bool { server.fault.contains(time / 1_000) }
}
