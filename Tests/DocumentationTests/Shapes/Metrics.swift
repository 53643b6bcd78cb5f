import Synchronization

/// Declarations of swift-metrics 2, as far as "Beside other packages" uses them.
enum Metrics {
    /// The values that were recorded, in place of a `MetricsFactory`.
    static let recorded = Mutex<[String: [Int64]]>([:])

    private static func record(_ value: Int64, _ label: String, _ dimensions: [(String, String)]) {
        let name = label + dimensions.map { " \($0)=\($1)" }.joined()
        recorded.withLock { $0[name, default: []].append(value) }
    }

    final class Counter: Sendable {
        private let label: String
        private let dimensions: [(String, String)]

        init(label: String, dimensions: [(String, String)] = []) {
            self.label = label
            self.dimensions = dimensions
        }

        func increment(by amount: some BinaryInteger) { record(Int64(amount), label, dimensions) }
        func increment() { increment(by: 1) }
    }

    final class Timer: Sendable {
        private let label: String
        private let dimensions: [(String, String)]

        init(label: String, dimensions: [(String, String)] = []) {
            self.label = label
            self.dimensions = dimensions
        }

        func recordNanoseconds(_ duration: Int64) { record(duration, label, dimensions) }
    }
}
