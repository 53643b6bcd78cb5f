import Testing

@testable import TangoRequest
@testable import TangoTransport
@testable import TestSupport

@Suite struct WaitingLineTests {
    private let server: LimitedServer

    init() throws {
        server = LimitedServer(try ServerAddress("http://one.example/"))
    }

    /// Runs a test with a function that makes a request wait.
    private func run(
        _ test: (
            _ line: inout WaitingLine, _ wait: (inout WaitingLine, UInt64, CallPriority) -> WaitingRequest
        ) -> Void
    ) async throws {
        try await withUnsafeThrowingContinuation { continuation in
            var line = WaitingLine()
            test(&line) { line, call, priority in
                let request = WaitingRequest(for: server, call: call, priority)
                line.append(request, continuation)
                return request
            }
            continuation.resume()
        }
    }

    private func order(of line: inout WaitingLine) -> [UInt64] {
        var calls: [UInt64] = []
        while let next = line.next(of: [server]) { calls.append(next.request.call) }
        return calls
    }

    /// One request waits for a long time, while others come and leave.
    @Test func requestsThatLeaveTakeNoMemory() async throws {
        try await run { line, wait in
            _ = wait(&line, 0, .normal)
            for call in 1...10_000 as ClosedRange<UInt64> {
                let request = wait(&line, call, call % 2 == 0 ? .low : .normal)
                #expect(line.remove(request) != nil)
                #expect(line.remove(request) == nil)
            }
            #expect(line.count == 1)
            #expect(server.entryCount < 200)
            #expect(order(of: &line) == [0])
            #expect(server.entryCount == 0)
            #expect(server.isIdle)
        }
    }

    @Test func changesOfPriorityTakeNoMemory() async throws {
        try await run { line, wait in
            for call in 0..<3 as Range<UInt64> { _ = wait(&line, call, .normal) }
            for _ in 0..<5_000 {
                line.setPriority(.high, of: 1)
                line.setPriority(.low, of: 1)
            }
            line.setPriority(.high, of: 2)
            #expect(server.entryCount < 200)
            #expect(order(of: &line) == [2, 0, 1])
        }
    }

    @Test(arguments: 0..<3) func aRequestOfACallLeaves(_ leaving: Int) async throws {
        try await run { line, wait in
            let requests = (0..<3).map { _ in wait(&line, 7, .low) }
            _ = wait(&line, 8, .normal)
            _ = line.remove(requests[leaving])
            line.setPriority(.high, of: 7)
            #expect(order(of: &line) == [7, 7, 8])
            line.setPriority(.low, of: 7)
            #expect(line.count == 0)
        }
    }
}
