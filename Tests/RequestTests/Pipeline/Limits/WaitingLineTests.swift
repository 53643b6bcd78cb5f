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
            var line = WaitingLine(perHost: nil)
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
        while let next = line.next() { calls.append(next.request.call) }
        return calls
    }

    @Test func requestsMayLeaveAtAnyTime() async throws {
        try await run { line, wait in
            _ = wait(&line, 0, .normal)
            for call in 1...1_000 as ClosedRange<UInt64> {
                let request = wait(&line, call, call % 2 == 0 ? .low : .high)
                #expect(line.remove(request) != nil)
                #expect(line.remove(request) == nil)
                #expect(server.waiting == 1)
            }
            #expect(order(of: &line) == [0])
            #expect(server.isIdle)
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
            #expect(server.isIdle)
        }
    }
}
