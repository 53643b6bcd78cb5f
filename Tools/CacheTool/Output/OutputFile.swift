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

/// A new file that is written in portions.
final class OutputFile {
    private let path: String
    private let descriptor: CInt

    /// Creates a file, which must not exist.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw OutputError(path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func append(_ data: Data) throws {
        do {
            try Console.write(data, to: descriptor)
        } catch let error as OutputError {
            throw OutputError(reason: "\(path): \(error.reason)")
        }
    }

    /// Gives the file its name, in place of another of that name.
    func move(to name: String) throws {
        guard rename(path, name) == 0 else { throw OutputError(name) }
    }

    func remove() {
        unlink(path)
    }
}

extension OutputError {
    /// What the system says about its last call.
    init(_ path: String? = nil) {
        let reason = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
        self.init(reason: path.map { "\($0): \(reason)" } ?? reason)
    }
}
