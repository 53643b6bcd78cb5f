import Harness
import Tango

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Opening a store with many entries, and its size on disk.
func wholeStores(_ size: Size) -> Group {
    let count = size(100_000)
    let many = Kept { try await Many(count) }
    let body = BodySize.all[0]
    let plain = Kept { try PlainFiles(body) }
    return Group(
        "Cache on disk, a store of \(count) entries of 200 B (one operation: once)",
        against: Reference(
            "one file read",
            .timed("ref: open, read, close a file of 200 B, once") {
                let paths = try await plain.value.paths
                return try nanoseconds(for: 100) { for path in paths.prefix(100) { keep(try PlainFiles.read(path)) } }
            }),
        [
            .timed("open") {
                let many = try await many.value
                var store: DiskStore?
                let time = try nanoseconds(for: 1) { store = try many.open() }
                await store?.close()
                return time
            },
            .timed("first get after it") {
                let many = try await many.value
                let store = try many.open()
                let time = try await nanoseconds(for: 1) { keep(try await store.get(many.some)) }
                await store.close()
                return time
            },
            .number("bytes on disk for an entry of 200 B", must: 400) {
                try await many.value.bytes / Double(count)
            },
        ])
}

/// A closed store with many entries.
private struct Many: Sendable {
    let folder: String
    let some: CacheKey
    /// The bytes that the file system has allocated for its files.
    let bytes: Double

    init(_ count: Int) async throws {
        let filled = try await Filled(.all[0], count: count)
        try await filled.store.maintain()
        await filled.store.close()
        folder = filled.folder
        some = filled.keys[count / 2]
        bytes = Self.allocated(in: filled.folder)
    }

    func open() throws -> DiskStore {
        try DiskStore(directory: URL(fileURLWithPath: folder, isDirectory: true), limits: .farAway)
    }

    private static func allocated(in folder: String) -> Double {
        let files = FileManager.default.enumerator(atPath: folder)
        var blocks = 0
        while let name = files?.nextObject() as? String {
            var status = stat()
            if stat("\(folder)/\(name)", &status) == 0 { blocks += Int(status.st_blocks) }
        }
        return Double(blocks) * 512
    }
}
