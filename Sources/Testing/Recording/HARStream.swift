/// A HAR file that is complete after each write, also if the process is killed meanwhile.
///
/// A write of several pages is not atomic. So there are two copies, of which the path names one. Entries are added to the
/// other copy, which then takes the path by a rename. The copies have names of their own until the file is closed.
final class HARStream {
    private final class Copy {
        let path: String
        let file: File
        /// The place of the next entry.
        var end: Int

        init(_ path: String, _ file: consuming File, end: Int) {
            self.path = path
            self.file = file
            self.end = end
        }
    }

    private static let files = FileSystem { RecordingError(message: $0.problem + ".") }

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
        let creator = #""creator":{"name":"Tango","version":"\#(LibraryVersion.text)"}"#
        let head = Array(#"{"log":{"version":"1.2",\#(creator),"_digestKey":"\#(digestKey)","entries":["#.utf8)
        try Self.attempt {
            for name in [".1", ".2"] {
                let copy = path + name
                try Self.files.remove(copy)
                let file = try Self.files.require(copy, for: .creating)
                copies.append(Copy(copy, file, end: head.count))
                try (head + Self.closing(nil)).withUnsafeBytes { try copies[copies.count - 1].file.write($0, at: 0) }
            }
            try publish(0)
        }
    }

    deinit {
        for copy in copies { _ = try? Self.files.remove(copy.path) }
    }

    /// Adds entries, which are in the file when the function returns.
    func append(_ entries: [[UInt8]]) throws(RecordingError) {
        var new = Array((count == 0 ? "\n" : ",\n").utf8)
        new += entries.joined(separator: ",\n".utf8)
        try write(newest + new, closedBy: nil)
        newest = new
        count += entries.count
    }

    /// Sets the comment of a file to which no more entries are added.
    func setComment(_ comment: String) throws(RecordingError) {
        try write(newest, closedBy: comment)
        newest = []
    }

    /// Adds bytes to the other copy, and gives it the path.
    private func write(_ bytes: [UInt8], closedBy comment: String?) throws(RecordingError) {
        let target = copies[1 - visible]
        try Self.attempt {
            try (bytes + Self.closing(comment)).withUnsafeBytes { try target.file.write($0, at: target.end) }
            target.end += bytes.count
            try publish(1 - visible)
        }
    }

    /// Gives the path to a copy.
    private func publish(_ index: Int) throws {
        let link = path + ".new"
        try Self.files.remove(link)
        try Self.files.link(copies[index].path, to: link)
        try Self.files.move(link, to: path)
        visible = index
    }

    /// Renames a file.
    static func move(_ old: String, to new: String) throws(RecordingError) {
        try attempt { try files.move(old, to: new) }
    }

    private static func attempt(_ work: () throws -> Void) throws(RecordingError) {
        do {
            try work()
        } catch {
            throw error as? RecordingError ?? RecordingError(message: "\(error)")
        }
    }

    private static func closing(_ comment: String?) -> [UInt8] {
        let comment = comment.map { #","comment":"\#($0)""# } ?? ""
        return Array("\n]\(comment)}}\n".utf8)
    }
}
