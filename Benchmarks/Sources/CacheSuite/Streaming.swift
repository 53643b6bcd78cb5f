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

/// A body of 20 MB, in portions of 64 KB.
func streaming(_ size: Size) -> Group {
    let portions = size(320)
    let body = BodySize(name: "64 KB", bytes: 65_536, entries: 1, operations: 1, isSmall: false)
    let portion = body.bodies(1)[0]
    let store = Kept { try await Filled(body, count: 1) }
    let film = Kept {
        let filled = try await store.value
        try await write(portion, portions, to: filled.store, "film")
        return filled.store
    }
    let path = Scratch.newFolder() + "/film"
    return Group(
        "Cache on disk, streaming 20 MB (one operation: all of it, in portions of 64 KB)",
        against: Reference(
            "20 MB written",
            .timed("ref: write a file of 20 MB") {
                try nanoseconds(for: 1) { try writePlain(portion, portions, to: path) }
            }),
        [
            .timed("write and commit, SQLite") {
                let filled = try await store.value
                let key = filled.freshKeys(1)[0]
                let time = try await nanoseconds(for: 1) { try await write(portion, portions, to: filled.store, key) }
                try await filled.store.remove(key)
                return time
            },
            .timed("read, SQLite") {
                let store = try await film.value
                return try await nanoseconds(for: 1) {
                    guard let reader = try await store.reader(for: "film") else { throw PlainFiles.Failure() }
                    for try await portion in reader { keep(portion) }
                }
            },
            .timed("plain: read of the same file in portions", isComparison: true) {
                try writePlain(portion, portions, to: path)
                return try nanoseconds(for: 1) { try readPlain(portion.count, portions, from: path) }
            },
        ])
}

private func write(_ portion: Data, _ count: Int, to store: DiskStore, _ key: CacheKey) async throws {
    let writer = try await store.writer(for: key)
    for _ in 0..<count { try await writer.write(portion) }
    try await writer.commit()
}

private func writePlain(_ portion: Data, _ count: Int, to path: String) throws {
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw PlainFiles.Failure() }
    defer { close(descriptor) }
    for number in 0..<count {
        let written = portion.withUnsafeBytes { bytes in
            pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(number * portion.count))
        }
        guard written == portion.count else { throw PlainFiles.Failure() }
    }
}

private func readPlain(_ bytes: Int, _ count: Int, from path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw PlainFiles.Failure() }
    defer { close(descriptor) }
    for number in 0..<count {
        guard let memory = malloc(bytes), pread(descriptor, memory, bytes, off_t(number * bytes)) == bytes else {
            throw PlainFiles.Failure()
        }
        keep(Data(bytesNoCopy: memory, count: bytes, deallocator: .free))
    }
}
