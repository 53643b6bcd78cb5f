#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The properties of a file that reveal a change.
package struct FileStamp: Equatable, Sendable {
    let path: String
    /// Empty if there is no file.
    private let numbers: [Int]

    package init(_ path: String) {
        self.path = path
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            numbers = []
            return
        }
        #if canImport(Darwin)
            let times = [facts.st_mtimespec, facts.st_ctimespec]
        #else
            let times = [facts.st_mtim, facts.st_ctim]
        #endif
        // Inode numbers may use all 64 bits.
        let file = [Int(truncatingIfNeeded: facts.st_ino), Int(facts.st_size)]
        numbers = file + times.flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
    }
}
