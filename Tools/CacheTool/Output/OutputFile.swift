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

/// The file that a body is written to.
///
/// The file appears when it is complete: it is written under a temporary name in the same folder, and takes the mode of
/// the file that it replaces. Only its owner can read a new file. A link is followed. A pipe or a device is written to
/// directly.
final class OutputFile {
    /// The path that the user has given.
    private let path: String

    /// The temporary path and the final path; nil if the final path is written to directly.
    private let move: (from: String, to: String)?

    private let descriptor: CInt

    init(_ path: String) throws {
        self.path = path
        var status = stat()
        guard stat(path, &status) == 0 else {
            let place = try Self.target(of: path)
            (move, descriptor) = try Self.create(beside: place, for: path)
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            let place = try Self.target(of: path)
            (move, descriptor) = try Self.create(beside: place, for: path)
            _ = fchmod(descriptor, status.st_mode & 0o7777)
            // Only root may give a file away.
            if geteuid() == 0 { _ = fchown(descriptor, status.st_uid, status.st_gid) }
        case S_IFDIR: throw OutputError(reason: "\(path): it is a folder")
        default:
            move = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw OutputError(path) }
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private static func create(
        beside place: String, for path: String
    ) throws -> (move: (from: String, to: String)?, descriptor: CInt) {
        let temporary = "\(place).\(UUID().uuidString)"
        // Set before the file is created: a signal may come right after that.
        Interruption.removes(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw OutputError(path) }
        return ((temporary, place), descriptor)
    }

    /// Returns the path that links lead to, even if there is no file.
    private static func target(of path: String) throws -> String {
        var path = path
        for _ in 0..<40 {
            guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            path = link.hasPrefix("/") ? link : folder + link
        }
        throw OutputError(reason: "\(path): too many links lead to one another")
    }

    func append(_ data: Data) throws {
        do {
            try Console.write(data, to: descriptor)
        } catch let error as OutputError {
            throw OutputError(reason: "\(path): \(error.reason)", isPipeClosed: error.isPipeClosed)
        }
    }

    /// Renames the file to its final path, and replaces an existing file.
    func finish() throws {
        guard let move else { return }
        guard rename(move.from, move.to) == 0 else { throw OutputError(path) }
        Interruption.removes(nil)
    }

    /// Removes the temporary file.
    func abandon() {
        guard let move else { return }
        unlink(move.from)
        Interruption.removes(nil)
    }
}
