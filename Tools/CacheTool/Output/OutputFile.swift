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
/// A file appears when it is complete: it is written beside its place first, and takes the mode of the file that it
/// replaces. A new one is for its owner only, as the files of a store are. A link is followed. What is no file, such as a
/// pipe or a device, is written to as it is.
final class OutputFile {
    /// Where the user wants it.
    private let path: String

    /// The file that is written beside the place, and the place; nil where the place itself is written to.
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
        // Before it is made: a signal may come right after that.
        Interruption.removes(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw OutputError(path) }
        return ((temporary, place), descriptor)
    }

    /// The path that links lead to, also where nothing is there yet.
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

    /// Gives the file its name, in place of another of that name.
    func finish() throws {
        guard let move else { return }
        guard rename(move.from, move.to) == 0 else { throw OutputError(path) }
        Interruption.removes(nil)
    }

    /// Removes what was written beside its place.
    func abandon() {
        guard let move else { return }
        unlink(move.from)
        Interruption.removes(nil)
    }
}
