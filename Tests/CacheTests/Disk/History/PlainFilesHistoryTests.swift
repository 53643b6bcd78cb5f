import Foundation
import Synchronization
import Testing

@testable import TangoCache

/// The history of plain files, which have no locks. Other processes act between any two system calls.
@Suite struct PlainFilesHistoryTests {
    private let folder = ScratchFolder()

    private static let entry = CacheEntry(
        body: Data("a".utf8), tags: ["t"], written: Date(timeIntervalSinceReferenceDate: 0))

    private func engine(_ fault: FileSystem.Fault? = nil) throws -> FileEngine {
        var files = FileSystem()
        files.fault = fault
        return try FileEngine(
            folder: folder.path, limits: .unlimited, role: .owner(version: 0), clock: WallClock(nil), files: files
        ) { _ in }
    }

    /// Sets an entry, and acts as another process before the system call with a number, whichever it is.
    private func set(
        before number: Int, since position: HistoryPosition, _ act: @escaping @Sendable () -> Void
    ) async throws -> (isStored: Bool, hasActed: Bool) {
        // The calls of the opening do not count.
        let count = Mutex(Int.min)
        let store = try engine { _, _ in
            let isNext = count.withLock { count in
                count += 1
                return count == number
            }
            if isNext { act() }
            return nil
        }
        count.withLock { $0 = 0 }
        let isStored = try await store.set(Self.entry, for: "a", unlessRemovedSince: position)
        return (isStored, count.withLock { $0 } >= number)
    }

    @Test(arguments: 1...60) func aRemovalBetweenTwoCallsIsNeverUndone(_ number: Int) async throws {
        let other = try engine()
        let place = other.folder.place(of: "a")
        let (isStored, isRemoved) = try await set(before: number, since: other.log.position()) {
            _ = try? other.removing([.key("a")]) { try other.room.remove(place) }
        }
        if isRemoved { #expect(try other.get("a") == nil) }
        #expect(isStored || isRemoved)
        #expect(try other.folder.pendings() == [])
    }

    @Test(arguments: 1...60) func anotherRemovalBetweenTwoCallsDoesNotMatter(_ number: Int) async throws {
        let other = try engine()
        let (isStored, _) = try await set(before: number, since: other.log.position()) {
            _ = try? other.removing([.tag("other")]) {}
        }
        #expect(isStored)
        #expect(try other.get("a") != nil)
    }

    @Test func aHistoryThatCannotBeWrittenIsRemoved() async throws {
        let path = folder.path + "/history"
        let store = try engine { call, at in call == .write && at == path ? ENOSPC : nil }
        let position = try store.log.position()
        #expect(try await store.remove(["a"]) == 0)
        #expect(try await store.set(Self.entry, for: "a", unlessRemovedSince: position) == false)
        #expect(try store.log.position().incarnation != position.incarnation)
    }

    @Test func aDamagedHistoryIsReplaced() async throws {
        let store = try engine()
        let position = try store.log.position()
        try await store.remove(["other"])
        let file = URL(filePath: folder.path + "/history")
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: file)
        #expect(try await store.set(Self.entry, for: "a", unlessRemovedSince: position) == false)
        let next = try store.log.position()
        #expect(try await store.set(Self.entry, for: "a", unlessRemovedSince: next))
    }

    @Test func withoutAMomentNothingIsRecorded() async throws {
        let store = try engine()
        try await store.remove(["a"])
        #expect(!folder.files.contains("history"))
    }

    @Test func aFollowerThatDoesNotReadIsRemoved() async throws {
        let store = try engine()
        let inbox = Inboxes.Follower(Inboxes(folder: store.folder, origin: 5)) { true }
        #expect(try inbox.look().changes == [.all])
        try await store.remove(["a"])
        #expect(try inbox.look().changes == [.key("a")])
        let keys = (0..<1_000).map { CacheKey("\($0)" + String(repeating: "x", count: 1_000)) }
        for _ in 0..<2 { try await store.remove(keys) }
        #expect(folder.files.filter { $0.hasPrefix("following/") } == [])
        #expect(try inbox.look().changes == [.all])
        #expect(try inbox.look().changes == [])
        inbox.end()
        #expect(folder.files.filter { $0.hasPrefix("following/") } == [])
    }
}
