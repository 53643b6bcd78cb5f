import Testing

@testable import TangoRequest

@Suite struct WaitingLineTests {
    private let server: ServerAddress

    init() throws {
        server = try ServerAddress("http://one.example/")
    }

    /// Runs a test with a function that makes requests.
    private func run(_ test: (_ waiter: (UInt64, CallPriority) -> WaitingLine.Waiter) -> Void) async throws {
        try await withUnsafeThrowingContinuation { continuation in
            test { call, priority in
                WaitingLine.Waiter(server: server, call: call, priority: priority, continuation: continuation)
            }
            continuation.resume()
        }
    }

    /// One request waits for a long time, while others come and leave.
    @Test func requestsThatLeaveTakeNoMemory() async throws {
        try await run { waiter in
            var line = WaitingLine()
            line.append(waiter(0, .normal), at: line.takePlace())
            for call in 1...10_000 as ClosedRange<UInt64> {
                let place = line.takePlace()
                line.append(waiter(call, call % 2 == 0 ? .low : .normal), at: place)
                #expect(line.remove(at: place)?.call == call)
            }
            #expect(line.count == 1)
            #expect(line.entryCount < 200)
            #expect(line.next { _ in true }?.call == 0)
            #expect(line.entryCount == 0)
        }
    }

    @Test func changesOfPriorityTakeNoMemory() async throws {
        try await run { waiter in
            var line = WaitingLine()
            for call in 0..<3 as Range<UInt64> { line.append(waiter(call, .normal), at: line.takePlace()) }
            for _ in 0..<5_000 {
                line.setPriority(.high, of: 1)
                line.setPriority(.low, of: 1)
            }
            line.setPriority(.high, of: 2)
            #expect(line.entryCount < 200)
            let order = (0..<3).map { _ in line.next { _ in true }?.call }
            #expect(order == [2, 0, 1])
        }
    }
}
