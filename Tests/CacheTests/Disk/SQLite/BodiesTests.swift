import Foundation
import Synchronization
import Testing

@testable import TangoCache

@Suite struct BodiesTests {
    private let folder: DatabaseFolder
    private let entry = CacheEntry(body: Data(count: 20_000), written: Date())

    init() throws {
        folder = try DatabaseFolder()
    }

    private func names(_ path: String) -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
    }

    /// Removes the abandoned files but one, and returns their number.
    private func sweep(_ bodies: Bodies, sparing needed: Int64? = nil) throws -> Int {
        bodies.remove(try bodies.abandoned().filter { $0.file == nil || $0.file != needed }.map(\.path))
    }

    @Test func filesOfAnOpenStoreAreNotSwept() throws {
        let one = try Bodies(folder.place, folder.files, role: .owner(version: 0))
        let other = try Bodies(folder.place, folder.files, role: .owner(version: 0))
        _ = try one.write(entry, for: "a")
        let writer = try one.writer(for: "b", entry).writer
        #expect(try sweep(other) == 0)
        #expect(try sweep(one) == 0)
        #expect(names(folder.place.bodies).count == 1)
        writer.abandon()
        #expect(names(folder.place.temporary) == [])
    }

    @Test func filesOfAKilledStoreWithoutARowAreSwept() throws {
        let numbers: [Int64]
        do {
            let dead = try Bodies(folder.place, folder.files, role: .owner(version: 0))
            numbers = [try dead.write(entry, for: "a"), try dead.write(entry, for: "b")]
            let unfinished = dead.temporaryPath(of: try dead.next())
            try Data([1]).write(to: URL(fileURLWithPath: unfinished))
            dead.close()
        }
        let living = try Bodies(folder.place, folder.files, role: .owner(version: 0))
        #expect(try sweep(living, sparing: numbers[0]) == 2)
        #expect(names(folder.place.bodies) == [UInt64(bitPattern: numbers[0]).hexadecimal(16)])
        #expect(names(folder.place.temporary) == [])
        #expect(names(folder.place.instances).count == 1)
    }

    /// A file that is begun again, because another process removes the folder meanwhile, has the number of the new lock.
    @Test func fileThatIsBegunAgainBelongsToTheNewLock() throws {
        let isRemoved = Atomic(false)
        var files = folder.files
        files.fault = { [path = folder.place.folder] _, file, _ in
            if file.contains("/temporary/"), !isRemoved.exchange(true, ordering: .relaxed) {
                try? FileManager.default.removeItem(atPath: path)
            }
            return nil
        }
        let bodies = try Bodies(folder.place, files, role: .owner(version: 0))
        let file = try bodies.write(entry, for: "a")
        let wasRemoved = isRemoved.load(ordering: .relaxed)
        #expect(wasRemoved)
        #expect(names(folder.place.instances) == [UInt64(UInt64(bitPattern: file) >> 32).hexadecimal(8)])
    }

    @Test func filesOfOtherNamesAreLeftAlone() throws {
        let bodies = try Bodies(folder.place, folder.files, role: .owner(version: 0))
        for name in ["x", "0123", "zzzzzzzzzzzzzzzz", ".DS_Store"] {
            try Data([1]).write(to: URL(fileURLWithPath: folder.place.bodies + "/" + name))
        }
        #expect(try sweep(bodies) == 0)
        #expect(names(folder.place.bodies).count == 4)
    }

    @Test func aClosedStoreTakesNoMoreFiles() throws {
        let bodies = try Bodies(folder.place, folder.files, role: .owner(version: 0))
        bodies.close()
        #expect(throws: CacheError.self) { try bodies.write(entry, for: "a") }
        #expect(names(folder.place.instances) == [])
    }

    /// Otherwise a sweep would treat the files of this store as those of a killed one.
    @Test func aStoreSaysAgainThatItIsOpenWhenItsFolderWasRemoved() throws {
        let bodies = try Bodies(folder.place, folder.files, role: .owner(version: 0))
        try FileManager.default.removeItem(atPath: folder.folder.path)
        _ = try bodies.write(entry, for: "a")
        let other = try Bodies(folder.place, folder.files, role: .owner(version: 0))
        #expect(names(folder.place.instances).count == 2)
        _ = try bodies.write(entry, for: "b")
        #expect(try sweep(other) <= 1)
        #expect(names(folder.place.bodies).isEmpty == false)
    }

    @Test func aLockIsForOneAtATime() throws {
        let path = folder.place.lock
        let held = Guarded(0)
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
            for _ in 0..<20 {
                try? FileLock.holding(path, on: folder.files) {
                    #expect(
                        held.change {
                            $0 += 1; return $0
                        } == 1)
                    held.change { $0 -= 1 }
                }
            }
        }
        let lock = try #require(try FileLock.ifFree(path, on: folder.files))
        #expect(try FileLock.ifFree(path, on: folder.files) == nil)
        _ = withExtendedLifetime(lock) { 0 }
    }

    @Test func aLockWhoseFileWasRemovedIsNoLock() throws {
        let path = folder.place.lock
        let former = try #require(try FileLock.ifFree(path, on: folder.files))
        try FileManager.default.removeItem(atPath: path)
        let lock = try #require(try FileLock.ifFree(path, on: folder.files))
        #expect(try FileLock.ifFree(path, on: folder.files) == nil)
        withExtendedLifetime((former, lock)) {}
    }
}
