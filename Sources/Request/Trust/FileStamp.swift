#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What tells a file from what it was before.
struct FileStamp: Equatable, Sendable {
    let path: String
    /// Nothing where there is no file.
    private let numbers: [Int]

    init(_ path: String) {
        self.path = path
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            numbers = []
            return
        }
        #if canImport(Darwin)
            let changed = facts.st_mtimespec
        #else
            let changed = facts.st_mtim
        #endif
        numbers = [Int(facts.st_ino), Int(facts.st_size), changed.tv_sec, changed.tv_nsec]
    }
}
