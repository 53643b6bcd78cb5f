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

    /// Removes an entry before the call with a number, whichever it is.
    @Test(arguments: 1...60) func aRemovalBetweenTwoCallsIsNeverUndone(_ number: Int) async throws {
        let other = try engine()
        let position = try other.log.position()
        let count = Mutex(0)
        let store = try engine { _, _ in
            guard
                count.withLock({
                    $0 += 1; return $0
                }) == number
            else { return nil }
            let place = other.folder.place(of: "a")
            _ = try? other.removing([.key("a")]) { try other.room.remove(place) }
            return nil
        }
        count.withLock { $0 = 0 }
        let isStored = try await store.set(Self.entry, for: "a", unlessRemovedSince: position)
        let isRemoved = count.withLock { $0 } >= number
        if isRemoved { #expect(try other.get("a") == nil) }
        #expect(isStored || isRemoved)
        #expect(try other.folder.pendings() == [])
    }

    @Test(arguments: 1...60) func anotherRemovalBetweenTwoCallsDoesNotMatter(_ number: Int) async throws {
        let other = try engine()
        let position = try other.log.position()
        let count = Mutex(0)
        let store = try engine { _, _ in
            guard
                count.withLock({
                    $0 += 1; return $0
                }) == number
            else { return nil }
            _ = try? other.removing([.tag("other")]) {}
            return nil
        }
        count.withLock { $0 = 0 }
        #expect(try await store.set(Self.entry, for: "a", unlessRemovedSince: position))
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
