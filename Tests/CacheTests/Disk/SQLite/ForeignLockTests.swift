import Foundation
import Testing

@testable import TangoCache

/// Changes while another process has the database locked.
@Suite struct ForeignLockTests {
    private let folder: DatabaseFolder

    init() throws {
        folder = try DatabaseFolder()
    }

    private func job(_ number: Int) -> @Sendable (Transaction) throws -> Int {
        { transaction in
            try transaction.set(DatabaseFolder.record("\(number)"))
            return 1
        }
    }

    @Test func allThatWasQueuedBeforeTheWaitEndedFailsWithIt() async throws {
        let engine = try folder.engine()
        let foreign = try Database(folder.place.database, .reader, patience: 10_000)
        try foreign.begin()
        engine.connection.wait(upTo: 1_000)
        let codes = Guarded<[CacheError.Code?]>([])
        let ended = AsyncStream<Void>.makeStream()
        for number in 0..<1_000 {
            engine.writer.submit(job(number)) { result in
                let count = codes.change { codes in
                    if case .failure(let error) = result {
                        codes.append((engine.told(error) as? CacheError)?.code)
                    } else {
                        codes.append(nil)
                    }
                    return codes.count
                }
                // Whatever were to wait for the lock once more would get it now.
                if count == 1 { foreign.rollback() }
                if count == 1_000 { ended.continuation.finish() }
            }
        }
        for await _ in ended.stream {}
        #expect(codes.value.count { $0 == .busy } == 1_000)
        #expect(try await engine.perform(job(1)) == 1)
        engine.close()
    }

    /// The queue is emptied in order, also where a change in the middle cannot be made.
    @Test func changesOfOneKeyStayInOrderAroundOneThatFails() async throws {
        let engine = try folder.engine(limits: CacheLimits(bytes: 10_000))
        let foreign = try Database(folder.place.database, .reader, patience: 10_000)
        try foreign.begin()
        let order = Guarded<[Int]>([])
        let ended = AsyncStream<Void>.makeStream()
        for number in 0..<600 {
            engine.writer.submit({ transaction in
                try transaction.set(DatabaseFolder.record("a", bytes: number == 300 ? 20_000 : number))
                return number
            }) { result in
                if case .success(let number) = result { order.change { $0.append(number) } }
                if number == 599 { ended.continuation.finish() }
            }
        }
        foreign.rollback()
        for await _ in ended.stream {}
        #expect(order.value == Array(0..<300) + Array(301..<600))
        #expect(try engine.get("a")?.body.count == 599)
        engine.close()
    }
}
