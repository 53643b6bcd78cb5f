#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A HAR file that is complete after each write, also if the process is killed meanwhile.
///
/// A write of several pages is not atomic. So there are two copies, of which the path names one. Entries are added to the
/// other copy, which then takes the path by a rename. The copies have names of their own until the file is closed.
final class HARStream {
    private struct Copy {
        let path: String
        let descriptor: Int32
        /// The place of the next entry.
        var end = 0
    }

    private let path: String
    private var copies: [Copy] = []
    private var visible = 0
    /// The entries that only the visible copy has.
    private var newest: [UInt8] = []
    private(set) var count = 0
    /// The number of bytes of the entries.
    var size: Int { copies[visible].end }

    /// Creates the file, without entries. A file that is there is replaced.
    ///
    /// - Parameter digestKey: The key of the digests of secrets.
    init(path: String, digestKey: String) throws(RecordingError) {
        self.path = path
        let creator = #""creator":{"name":"Tango","version":"unreleased"}"#
        let head = Array(#"{"log":{"version":"1.2",\#(creator),"_digestKey":"\#(digestKey)","entries":["#.utf8)
        for name in [".1", ".2"] {
            let copy = path + name
            unlink(copy)
            let descriptor = open(copy, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw Self.error("create", copy) }
            copies.append(Copy(path: copy, descriptor: descriptor))
            try Self.write(head + Self.closing(nil), at: 0, to: copies[copies.count - 1])
            copies[copies.count - 1].end = head.count
        }
        try publish(0)
    }

    deinit {
        for copy in copies {
            close(copy.descriptor)
            unlink(copy.path)
        }
    }

    /// Adds entries, which are in the file when the function returns.
    func append(_ entries: [[UInt8]]) throws(RecordingError) {
        var new = Array((count == 0 ? "\n" : ",\n").utf8)
        new += entries.joined(separator: ",\n".utf8)
        let target = 1 - visible
        let bytes = newest + new
        try Self.write(bytes + Self.closing(nil), at: copies[target].end, to: copies[target])
        copies[target].end += bytes.count
        try publish(target)
        newest = new
        count += entries.count
    }

    /// Sets the comment of a file to which no more entries are added.
    func setComment(_ comment: String) throws(RecordingError) {
        let target = 1 - visible
        try Self.write(newest + Self.closing(comment), at: copies[target].end, to: copies[target])
        copies[target].end += newest.count
        try publish(target)
        newest = []
    }

    /// Gives the path to a copy.
    private func publish(_ index: Int) throws(RecordingError) {
        let link = path + ".new"
        unlink(link)
        guard Self.makeLink(copies[index].path, link) == 0, rename(link, path) == 0 else {
            throw Self.error("rename", path)
        }
        visible = index
    }

    /// Renames a file.
    static func move(_ old: String, to new: String) throws(RecordingError) {
        guard rename(old, new) == 0 else { throw error("rename", old) }
    }

    private static func makeLink(_ old: String, _ new: String) -> Int32 { link(old, new) }

    private static func closing(_ comment: String?) -> [UInt8] {
        let comment = comment.map { #","comment":"\#($0)""# } ?? ""
        return Array("\n]\(comment)}}\n".utf8)
    }

    private static func write(_ bytes: [UInt8], at offset: Int, to copy: Copy) throws(RecordingError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { rest in
                pwrite(copy.descriptor, rest.baseAddress, rest.count, off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw error("write", copy.path) }
            written += count
        }
    }

    private static func error(_ action: String, _ path: String) -> RecordingError {
        RecordingError(
            message: "cannot \(action) \(path): \(String(cString: strerror(errno))). "
                + "Check the folder, its permissions and the space on the disk.")
    }
}
