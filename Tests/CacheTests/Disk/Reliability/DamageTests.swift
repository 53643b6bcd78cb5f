import ChildProcesses
import Foundation
import TangoCache
import Testing

@testable import CacheProcess

/// Stores with damaged files.
@Suite struct DamageTests {
    enum Part: String, CaseIterable, Sendable {
        case database = "index/entries.sqlite"
        case log = "index/entries.sqlite-wal"
        case body = "bodies/"
    }

    /// The files of a small store that a process has left without closing it.
    private struct Original: Sendable {
        var files: [String: Data] = [:]

        init() async throws {
            let folder = ScratchFolder()
            let lines = try await offThread { try ChildProcess(["sample", folder.path]).lines() }
            #expect(lines == ["done"])
            for name in folder.files where name.hasPrefix("index/") || name.hasPrefix("bodies/") {
                if !name.hasSuffix("-shm") {
                    files[name] = try Data(contentsOf: folder.url.appendingPathComponent(name))
                }
            }
        }

        func name(of part: Part) throws -> String {
            try #require(files.keys.first { $0 == part.rawValue || part == .body && $0.hasPrefix(part.rawValue) })
        }

        /// Copies the store into a folder and replaces one file.
        func copy(to folder: ScratchFolder, _ name: String, _ bytes: Data) throws {
            for place in ["index", "bodies"] {
                try FileManager.default.createDirectory(
                    at: folder.url.appendingPathComponent(place), withIntermediateDirectories: true)
            }
            for (other, content) in files {
                try (other == name ? bytes : content).write(to: folder.url.appendingPathComponent(other))
            }
        }
    }

    @Test(arguments: Part.allCases)
    func anyFlippedByteIsHarmless(_ part: Part) async throws {
        let original = try await Original()
        let name = try original.name(of: part)
        let content = try #require(original.files[name])
        let changes: [UInt8] = isLongRun ? [0xff, 0x01, 0x80] : [0xff]
        for change in changes {
            for index in steps(content.count, most: 40) {
                var bytes = content
                bytes[index] ^= change
                try await use(original, name, bytes, "byte \(index) of \(name) ^ \(change)")
            }
        }
    }

    @Test(arguments: Part.allCases)
    func anyLengthIsHarmless(_ part: Part) async throws {
        let original = try await Original()
        let name = try original.name(of: part)
        let content = try #require(original.files[name])
        for count in steps(content.count, most: 25) {
            try await use(original, name, content.prefix(count), "\(count) bytes of \(name)")
        }
    }

    private func steps(_ count: Int, most: Int) -> [Int] {
        if isLongRun { return Array(0..<count) }
        let start = Int.random(in: 0..<max(1, count / most))
        return Array(stride(from: start, to: count, by: max(1, count / most)))
    }

    /// Opens a store and calls all its methods.
    private func use(_ original: Original, _ name: String, _ bytes: Data, _ what: String) async throws {
        let folder = ScratchFolder()
        try original.copy(to: folder, name, bytes)
        do {
            let store = try DiskStore(directory: folder.url, onEvent: { _ in })
            for (key, entry) in Specimens.small {
                if let got = try await store.get(key) { expectSame(got, entry, what) }
            }
            for (entry, got) in zip(Specimens.small, try await store.getMany(Specimens.small.map(\.key))) {
                if let got { expectSame(got, entry.entry, what) }
            }
            for try await item in store.entries() {
                let entry = Specimens.small.first { $0.key == item.key }?.entry
                #expect(item.size == entry?.body.count && item.metadata == entry?.metadata, "\(what) shows in a list")
                #expect(item.tags == entry?.tags && item.expires == entry?.expires, "\(what) shows in a list")
            }
            _ = try await store.statistics()
            try await store.remove("plain")
            #expect(try await store.get("plain") == nil, "nothing can be removed after \(what)")
            let fresh = CacheEntry(body: Data([1, 2, 3]), tags: ["users"])
            for key in Specimens.small.map(\.key) + ["new"] {
                try await store.set(fresh, for: key)
                let got = try await store.get(key)
                #expect(got?.body == fresh.body, "nothing can be set after \(what)")
            }
            try await store.remove(tag: "users")
            try await store.maintain()
            try await store.removeAll()
            try await store.set(fresh, for: "new")
            #expect(try await store.get("new") != nil)
            await store.close()
        } catch {
            Issue.record("\(what): \(error)")
        }
    }

    private func expectSame(_ got: CacheEntry, _ entry: CacheEntry, _ what: String) {
        let isSame =
            got.body == entry.body && got.metadata == entry.metadata && got.tags == entry.tags
            && got.pinned == entry.pinned && got.expires == entry.expires && got.written == entry.written
        #expect(isSame, "\(what) was returned")
    }
}
