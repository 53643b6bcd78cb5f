import Foundation
import Synchronization

@testable import TangoCache

/// An engine on its own folder, with a manual clock and a record of its events.
final class FileBench: Sendable {
    let folder: DiskFolder
    let faults = DiskFaults()
    private let time: Mutex<Date>
    private let reported = Mutex<[CacheEvent]>([])

    init() throws {
        folder = try DiskFolder()
        // The system's current time, because a file that is being written has such a time.
        time = Mutex(Date())
    }

    var now: Date {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    var events: [CacheEvent] { reported.withLock { $0 } }

    func advance(by seconds: Double) {
        time.withLock { $0 += seconds }
    }

    /// Opens another engine on the folder.
    func engine(_ limits: CacheLimits = .unlimited, role: Role = .owner(version: 0)) throws -> FileEngine {
        try FileEngine(
            folder: folder.file("cache"), limits: limits, role: role, clock: WallClock { self.now },
            files: faults.files, report: { event in self.reported.withLock { $0.append(event) } })
    }

    func entry(_ count: Int, pinned: Bool = false, tags: Set<String> = []) -> CacheEntry {
        CacheEntry(body: EntryFileTests.body(count), tags: tags, pinned: pinned, written: now)
    }

    func path(_ key: CacheKey) -> String {
        EntryFolder(path: folder.file("cache"), files: FileSystem()).place(of: key).path
    }

    /// The names of the temporary files.
    var temporary: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.file("cache/temporary"))) ?? []
    }

    /// All files below the folder, in order.
    var files: [String] {
        (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []).sorted()
    }

    /// Changes a byte of the file of a key.
    func damage(_ key: CacheKey, at offset: Int, by change: UInt8 = 0x55) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path(key)))
        bytes[offset] ^= change
        try bytes.write(to: URL(fileURLWithPath: path(key)))
    }

    /// Changes the dates in the file of a key, and its checksum. The entry has no facts and a body smaller than a
    /// block.
    func rewrite(_ key: CacheKey, body: Int, written: Date, expires: Date?) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(key))))
        let table = Array(bytes.suffix(8))
        let start = bytes.count - 8 - body
        bytes.withUnsafeMutableBytes { bytes in
            table.withUnsafeBytes { table in
                EntryFile.Header.write(
                    to: UnsafeMutableRawBufferPointer(rebasing: bytes[..<start]), pinned: false, written: written,
                    expires: expires, key: UInt32(key.count), facts: 0, body: body, table: table)
            }
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path(key)))
    }
}

extension FileEngine {
    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try await set([(key: key, entry: entry)])
    }

    /// Returns all listed keys.
    func keys() async throws -> Set<CacheKey> {
        var keys: Set<CacheKey> = []
        for try await item in entries() { keys.insert(item.key) }
        return keys
    }
}
