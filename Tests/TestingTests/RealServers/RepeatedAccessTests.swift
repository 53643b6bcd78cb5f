import Foundation
import TangoHTTP
import TangoPromise
import TangoTransport
import Testing

@testable import TestSupport

/// A closure in a mutex gets another layer with each access, if it is the whole value of the mutex: the stack ends after some
/// hundred thousand accesses.
@Suite(.timeLimit(.minutes(20)))
struct RepeatedAccessTests {
    @Test func checkOfServersCanBeReadManyTimes() throws {
        RefusedServers.refuse()
        let request = HTTPRequest(url: try #require(URL(string: "http://127.0.0.1/")))
        let server = try ServerAddress("http://127.0.0.1/")
        for _ in 0..<300_000 { try ServerCheck.pass(request, to: server, options: TransportOptions()) }
        #expect(throws: RequestError.self) {
            try ServerCheck.pass(request, to: ServerAddress("http://real.test/"), options: TransportOptions())
        }
    }

    @Test func currentSchedulerCanBeReadManyTimes() {
        for _ in 0..<300_000 { _ = Scheduler.current }
    }
}
