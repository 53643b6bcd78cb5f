/// The load of a server in a simulation, and the outcomes of the calls.
struct RetryLoad: Equatable, Sendable {
    /// The number of requests in each window.
    private var requests: [Int]
    /// The number of requests in each window that succeeded.
    private var served: [Int]
    /// The number of calls that started during the fault.
    var calls = 0
    /// The number of these calls that succeeded.
    var successes = 0

    init(seconds: Int) {
        requests = Array(repeating: 0, count: seconds * 1_000 / RetrySimulation.window)
        served = requests
    }

    /// Counts a request. Returns the number of requests that have succeeded in its window so far.
    mutating func countRequest(at time: Int) -> Int {
        requests[time / RetrySimulation.window] += 1
        return served[time / RetrySimulation.window]
    }

    mutating func countSuccess(at time: Int) {
        served[time / RetrySimulation.window] += 1
    }

    /// Returns the number of requests in some seconds for each call that started in them.
    func amplification(in seconds: Range<Int>) -> Double {
        let windows = 1_000 / RetrySimulation.window
        let count = requests[seconds.lowerBound * windows..<seconds.upperBound * windows].reduce(0, +)
        return Double(count) / Double(RetrySimulation.clients * seconds.count)
    }

    /// The number of requests in the busiest window for each call that starts in a mean window.
    var peak: Double {
        Double((requests.max() ?? 0) * 1_000) / Double(RetrySimulation.clients * RetrySimulation.window)
    }

    /// The share of the calls that succeeded, among those that started during the fault.
    var successShare: Double { Double(successes) / Double(max(calls, 1)) }
}
