import Testing

@testable import TangoRequest
@testable import TangoTransport
@testable import TestSupport

@Suite struct WaitingLineTests {
    private let server: LimitedServer

    init() throws {
        server = LimitedServer(try ServerAddress("http://one.example/"))
    }

    private func wait(in line: inout WaitingLine, _ call: UInt64, _ priority: CallPriority) -> WaitingRequest {
        let request = WaitingRequest(for: server, call: call, priority)
        line.append(request, { _ in })
        return request
    }

    private func order(of line: inout WaitingLine) -> [UInt64] {
        var calls: [UInt64] = []
        while let next = line.next() { calls.append(next.request.call) }
        return calls
    }

    @Test func requestsMayLeaveAtAnyTime() {
        var line = WaitingLine(perHost: nil)
        _ = wait(in: &line, 0, .normal)
        for call in 1...1_000 as ClosedRange<UInt64> {
            let request = wait(in: &line, call, call % 2 == 0 ? .low : .high)
            #expect(line.remove(request) != nil)
            #expect(line.remove(request) == nil)
            #expect(server.waiting == 1)
        }
        #expect(order(of: &line) == [0])
        #expect(server.isIdle)
    }

    @Test(arguments: 0..<3) func aRequestOfACallLeaves(_ leaving: Int) {
        var line = WaitingLine(perHost: nil)
        let requests = (0..<3).map { _ in wait(in: &line, 7, .low) }
        _ = wait(in: &line, 8, .normal)
        _ = line.remove(requests[leaving])
        line.setPriority(.high, of: 7)
        #expect(order(of: &line) == [7, 7, 8])
        line.setPriority(.low, of: 7)
        #expect(server.isIdle)
    }
}
