#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The properties of an open file that reveal a change of its bytes while it is sent.
///
/// A file that another one replaces is not changed: the open one still has its bytes.
package struct FileVersion: Hashable, Sendable {
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Returns nil if the descriptor is not open.
    package init?(of descriptor: CInt) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// Returns nil if the path names no regular file.
    package init?(at path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(facts)
    }

    /// The version as a text, for a digest.
    package var text: String { "\(size) \(seconds) \(nanoseconds)" }

    init(_ facts: stat) {
        #if canImport(Darwin)
            let time = facts.st_mtimespec
        #else
            let time = facts.st_mtim
        #endif
        size = Int(facts.st_size)
        seconds = Int(time.tv_sec)
        nanoseconds = Int(time.tv_nsec)
    }
}
