import Foundation
import TangoCache
import Testing

@Suite struct CacheWriterTests {
    @Test func portionsAreWrittenAndCommittedInOrder() async throws {
        let target = RecordingTarget()
        let writer = CacheWriter(target)
        try await writer.write(Data([1]))
        try await writer.write(Data())
        try await writer.commit()
        #expect(target.calls.value == ["write 1", "write 0", "commit"])
    }

    @Test(arguments: ["commit", "abandon"])
    func aWriterThatHasEndedTakesNoMore(end: String) async throws {
        let target = RecordingTarget()
        let writer = CacheWriter(target)
        if end == "commit" { try await writer.commit() } else { writer.abandon() }
        await expect(.closed) { try await writer.write(Data([1])) }
        await expect(.closed) { try await writer.commit() }
        writer.abandon()
        #expect(target.calls.value == [end])
    }

    @Test func aWriterThatIsReleasedIsAbandoned() async throws {
        let target = RecordingTarget()
        do {
            let writer = CacheWriter(target)
            try await writer.write(Data([1]))
        }
        #expect(target.calls.value == ["write 1", "abandon"])
    }

    @Test func aWriterThatIsCommittedAndReleasedIsNotAbandoned() async throws {
        let target = RecordingTarget()
        try await CacheWriter(target).commit()
        #expect(target.calls.value == ["commit"])
    }

    @Test(arguments: ["write", "commit"])
    func aWriterWhoseTargetFailsIsAbandonedOnce(place: String) async throws {
        let target = RecordingTarget(failing: place)
        do {
            let writer = CacheWriter(target)
            await expect(.diskFull) {
                if place == "write" { try await writer.write(Data([1])) } else { try await writer.commit() }
            }
            await expect(.closed) { try await writer.commit() }
            writer.abandon()
        }
        #expect(target.calls.value.filter { $0 == "abandon" }.count == 1)
        #expect(target.calls.value.last == "abandon")
    }

    @Test func aWriterTakesOnePortionAtATime() async throws {
        let target = HeldTarget()
        let writer = CacheWriter(target)
        let first = Task { try await writer.write(Data([1])) }
        await target.begun()
        await expect(.invalid) { try await writer.write(Data([2])) }
        await expect(.invalid) { try await writer.commit() }
        target.release()
        try await first.value
        #expect(!target.isAbandoned.value)
        writer.abandon()
        #expect(target.isAbandoned.value)
    }

    @Test func abandoningDuringAWriteWaitsForItsEnd() async throws {
        let target = HeldTarget()
        let writer = CacheWriter(target)
        let first = Task { try await writer.write(Data([1])) }
        await target.begun()
        writer.abandon()
        #expect(!target.isAbandoned.value)
        await expect(.closed) { try await writer.commit() }
        target.release()
        try await first.value
        #expect(target.isAbandoned.value)
        await expect(.closed) { try await writer.write(Data([2])) }
    }

    @Test func aBufferingWriterHandsOverTheWholeEntry() async throws {
        let committed = Guarded<[CacheEntry]>([])
        let writer = CacheWriter(buffering: CacheEntry(body: Data([1]), tags: ["a"])) { entry in
            committed.change { $0.append(entry) }
        }
        try await writer.write(Data([2, 3]))
        try await writer.write(Data([9, 4, 9])[1..<2])
        #expect(committed.value.isEmpty)
        try await writer.commit()
        #expect(committed.value.map(\.body) == [Data([1, 2, 3, 4])])
        #expect(committed.value.map(\.tags) == [["a"]])
    }

    @Test func aBufferingWriterWhoseStoreFailsIsAbandoned() async throws {
        let writer = CacheWriter(buffering: CacheEntry(body: Data())) { _ in throw CacheError(.full, "No room.") }
        await expect(.full) { try await writer.commit() }
        await expect(.closed) { try await writer.commit() }
    }

    private func expect(_ code: CacheError.Code, _ work: () async throws -> Void) async {
        let error = await #expect(throws: CacheError.self) { try await work() }
        #expect(error?.code == code)
    }
}

/// Records the calls of its methods.
private struct RecordingTarget: CacheWriter.Target {
    let calls = Guarded<[String]>([])
    var failing = ""

    func write(_ portion: Data) async throws {
        if failing == "write" { throw CacheError(.diskFull, "No space.") }
        calls.change { $0.append("write \(portion.count)") }
    }

    func commit() async throws {
        if failing == "commit" { throw CacheError(.diskFull, "No space.") }
        calls.change { $0.append("commit") }
    }

    func abandon() {
        calls.change { $0.append("abandon") }
    }
}

/// Waits in `write` until it is released.
private final class HeldTarget: CacheWriter.Target {
    let isAbandoned = Guarded(false)
    private let beginning = AsyncStream<Void>.makeStream()
    private let gate = AsyncStream<Void>.makeStream()

    func begun() async {
        for await _ in beginning.stream { return }
    }

    func release() {
        gate.continuation.yield()
    }

    func write(_ portion: Data) async throws {
        beginning.continuation.yield()
        for await _ in gate.stream { return }
    }

    func commit() async throws {}

    func abandon() {
        isAbandoned.change { $0 = true }
    }
}
