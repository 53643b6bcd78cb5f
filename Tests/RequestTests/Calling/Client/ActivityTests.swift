import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(20))) struct ActivityTests {
    /// The reader takes no value while calls end and begin.
    @Test func slowReaderOfTheActivityReadsNoValueTwice() async throws {
        let site = try Site()
        let (first, second) = (Gate(), Gate())
        site.server.enqueue(.text("a").held(by: first), .text("b").held(by: second))
        let client = site.client()
        var activity = client.isActive.makeAsyncIterator()
        #expect(await activity.next() == false)
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(await activity.next() == true)
        first.open()
        _ = try await call.value
        let next = Fetch<String>(.get("/a"), of: client).start()
        // Opened once the reader has had its turn.
        let opening = Task {
            for _ in 0..<1000 { await Task.yield() }
            second.open()
        }
        #expect(await activity.next() == false)
        await opening.value
        _ = try await next.value
    }
}
