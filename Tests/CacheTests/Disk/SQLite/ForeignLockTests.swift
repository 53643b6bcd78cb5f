import Foundation
import Testing

@testable import TangoCache

/// Changes while another process has locked the database.
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
        let foreign = try Database(folder.place.database, .reader, timeout: 10_000)
        try foreign.begin()
        engine.connection.wait(upTo: 1_000)
        let codes = Guarded<[CacheError.Code?]>([])
        let ended = AsyncStream<Void>.makeStream()
        for number in 0..<1_000 {
            engine.writer.submit(job(number)) { result in
                let count = codes.change { codes in
                    if case .failure(let error) = result {
                        codes.append((engine.userError(error) as? CacheError)?.code)
                    } else {
                        codes.append(nil)
                    }
                    return codes.count
                }
                // A second wait for the lock would succeed now.
                if count == 1 { foreign.rollback() }
                if count == 1_000 { ended.continuation.finish() }
            }
        }
        for await _ in ended.stream {}
        #expect(codes.value.count { $0 == .busy } == 1_000)
        #expect(try await engine.perform(job(1)) == 1)
        engine.closeFiles()
    }

    /// A full volume fails all changes of the batch that detects it.
    @Test func aFullVolumeFailsABatchAsABatch() async throws {
        let engine = try folder.engine()
        let foreign = try Database(folder.place.database, .reader, timeout: 10_000)
        try foreign.begin()
        let made = Guarded<[Int]>([])
        let failed = Guarded<[Int]>([])
        let ended = AsyncStream<Void>.makeStream()
        for number in 0..<100 {
            engine.writer.submit({ _ in
                made.change { $0.append(number) }
                throw SQLiteFailure(code: 13, message: "database or disk is full")
            }) { result in
                guard case .failure(let error) = result else { return }
                #expect((engine.userError(error) as? CacheError)?.code == .diskFull)
                let count = failed.change { failed in
                    failed.append(number)
                    return failed.count
                }
                if count == 100 { ended.continuation.finish() }
            }
        }
        foreign.rollback()
        for await _ in ended.stream {}
        #expect(failed.value == Array(0..<100))
        // The first change of each batch is tried, and retried after the log was emptied.
        #expect(Set(made.value).count <= 2)
        engine.closeFiles()
    }

    @Test func aWriterThatIsStuckRefusesWhatIsTooMuch() async throws {
        let engine = try folder.engine()
        let time = Guarded(0)
        let writer = Writer(engine.connection, seconds: { time.value })
        let begun = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        writer.submit({ _ in
            begun.continuation.finish()
            gate.wait()
            return 0
        }) { _ in }
        for await _ in begun.stream {}
        time.change { $0 += Backlog<Int>.longestTransaction }
        let results = Guarded<[CacheError.Code?]>([])
        let refused = AsyncStream<Void>.makeStream()
        let ended = AsyncStream<Void>.makeStream()
        let most = Backlog<Int>.limit.count
        for number in 0..<(most + 10) {
            writer.submit(job(number)) { result in
                let count = results.change { results in
                    if case .failure(let error) = result {
                        results.append((error as? CacheError)?.code)
                    } else {
                        results.append(nil)
                    }
                    return results.count
                }
                if count == 10 { refused.continuation.finish() }
                if count == most + 10 { ended.continuation.finish() }
            }
        }
        // A rejected change fails at once, while the others wait.
        for await _ in refused.stream {}
        #expect(results.value == Array(repeating: .busy, count: 10))
        gate.signal()
        for await _ in ended.stream {}
        #expect(results.value.count { $0 == nil } == most)
        writer.close()
        engine.closeFiles()
    }

    /// The queue is emptied in order, even if a change in the middle fails.
    @Test func changesOfOneKeyStayInOrderAroundOneThatFails() async throws {
        let engine = try folder.engine(limits: CacheLimits(bytes: 10_000))
        let foreign = try Database(folder.place.database, .reader, timeout: 10_000)
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
        #expect(try engine.load("a")?.body.count == 599)
        engine.closeFiles()
    }
}
