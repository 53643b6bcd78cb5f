import Harness

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

/// Bodies in plain files: the reference of the stores.
final class PlainFiles: Sendable {
    struct Failure: Error {}

    let paths: [String]
    private let folder: String
    private let body: Data

    init(_ body: BodySize) throws {
        folder = Scratch.newFolder()
        self.body = body.bodies(1)[0]
        paths = (0..<body.entries).map { [folder] in "\(folder)/\($0)" }
        for path in paths { try Self.write(self.body, to: path) }
    }

    /// Opens, reads and closes a file with as few system calls as possible.
    static func read(_ path: String) throws -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure() }
        return try read(descriptor, count: Int(status.st_size))
    }

    static func read(_ descriptor: Int32, count: Int) throws -> Data {
        guard let memory = malloc(count), pread(descriptor, memory, count, 0) == count else { throw Failure() }
        return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }

    /// Writes a file under a temporary name and renames it.
    static func write(_ body: Data, to path: String) throws {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        let written = body.withUnsafeBytes { bytes in pwrite(descriptor, bytes.baseAddress, bytes.count, 0) }
        guard close(descriptor) == 0, written == body.count, rename(temporary, path) == 0 else { throw Failure() }
    }

    /// Returns the nanoseconds for writing a new file. The files are removed afterwards.
    func timeToWrite(_ count: Int) throws -> Double {
        let paths = (0..<count).map { "\(folder)/fresh-\($0)" }
        defer { for path in paths { unlink(path) } }
        return try nanoseconds(for: count) {
            for path in paths { try Self.write(body, to: path) }
        }
    }
}
