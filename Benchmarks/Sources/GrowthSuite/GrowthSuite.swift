import Harness

/// Operations beside more and more of everything on which their cost could depend.
///
/// All times are those of the processor, on all threads, because they depend less on other programs.
public func growthSuite(_ size: Size) -> [GrowthRow] {
    let sizes = Sizes(isSmoke: size == .smoke)
    return promises(sizes) + liveCalls(sizes) + queuedCalls(sizes) + hosts(sizes) + joiners(sizes) + waiters(sizes)
        + observers(sizes) + cookies(sizes) + memory(sizes) + disk(sizes) + mocks(sizes) + recordings(sizes)
}

/// The sizes at which rows are measured.
struct Sizes {
    let isSmoke: Bool

    /// Returns 1, 100, and so on.
    func callAsFunction(upTo most: Int) -> [Int] {
        [1, 100, 3_000, 10_000, 100_000, 1_000_000].filter { size in
            size <= 100 || size == most || (size == 10_000 && size < most)
        }.filter { isSmoke ? $0 <= 100 : true }
    }
}

/// A value of each size, which is created on first use and shared by all rounds.
struct KeptForSizes<Value: Sendable>: Sendable {
    private let values: [Int: Kept<Value>]

    init(_ sizes: [Int], _ make: @escaping @Sendable (Int) async throws -> Value) {
        values = Dictionary(uniqueKeysWithValues: sizes.map { size in (size, Kept { try await make(size) }) })
    }

    func callAsFunction(_ size: Int) async throws -> Value {
        guard let kept = values[size] else { throw Failure("\(size) is none of the sizes of the row") }
        return try await kept.value
    }
}

/// Returns the nanoseconds of an operation, done up to so many times. An operation that takes long is done less often.
func time(ofUpTo operations: Int, _ work: (_ number: Int) async throws -> Void) async rethrows -> Double {
    var done = 0
    var time = 0.0
    while done < operations, time < 20_000_000 {
        let end = min(operations, 2 * done + 1)
        time += try await processorNanoseconds(for: 1) {
            for number in done..<end { try await work(number) }
        }
        done = end
    }
    return time / Double(done)
}

struct Failure: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
