import Foundation
import TangoPromise
import Testing

/// The code of the article on cancellation.
@Suite struct CancellationSnippets: Samples {
    @Test func consumersLeave() async throws {
        let download = Promise<Data> { resolver in
            connection.receive { data in resolver.fulfill(data) }
            resolver.onCancel { connection.close() }
        }

        let preview = download.map { data in data.prefix(100) }
        let size = download.map { data in data.count }

        preview.cancel()  // `download` goes on: `size` waits for it
        size.cancel()  // the last consumer leaves: `download` is cancelled and the connection closed
        try await connection.closed.value
        await #expect(throws: CancellationError.self) { try await download.value }
    }

    @Test func cancellationReachesOnlyItsHandlers() async {
        let (answer, resolver) = Promise<Int>.pending()
        let handled = answer.next { _ in events.append("next") }
            .catch { _ in events.append("catch") }
            .catch(policy: .all) { _ in events.append("catch all") }
            .finally { events.append("finally") }

        resolver.reject(CancellationError())  // "catch all", "finally"
        await #expect(throws: CancellationError.self) { try await handled.value }
        #expect(events.all == ["catch all", "finally"])
    }

    @Test func aPromiseCancelsItsTask() async throws {
        let user = Promise { try await api.user(1) }
        user.cancel()  // the task is cancelled
        await #expect(throws: CancellationError.self) { try await user.value }
    }

    @Test func aTaskLeavesItsPromise() async throws {
        let download = Promise<Data> { resolver in
            connection.receive { data in resolver.fulfill(data) }
            resolver.onCancel { connection.close() }
        }
        let task = Task { try await download.value }
        task.cancel()  // the last consumer leaves: `download` is cancelled and the connection closed
        await #expect(throws: CancellationError.self) { try await task.value }
        try await connection.closed.value
        await #expect(throws: CancellationError.self) { try await download.value }
    }

    @Test func losers() async throws {
        let shared = Promise { try await api.user(1) }
        let name = shared.map { user in user.name }
        let quick = shared.timeout(.milliseconds(50))  // may give up, while `name` still gets its user
        quick.cancel()
        #expect(try await name.value == "user 1")
    }

    private let connection = Sample.Connection()
    private let events = Sample.Events()
}
