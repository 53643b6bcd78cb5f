import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What is done when the process is interrupted by a signal: the file that is not complete is removed.
package enum Interruption {
    /// The address of the path of that file; zero for none. A signal may come at any moment, so no lock guards it.
    private static let path = Atomic<UInt>(0)

    /// Catches the signals that end a process, for the process of the tool.
    ///
    /// A pipe whose reader has left is an error of the call that writes to it, and no signal.
    package static func watch() {
        _ = path.load(ordering: .relaxed)
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGHUP, SIGINT, SIGTERM] {
            let former = signal(number) { number in Interruption.end(number) }
            // What the caller ignores, such as the end of a terminal, stays ignored.
            if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
    }

    /// Sets the file that is removed when the process is interrupted; nil for none.
    static func removes(_ file: String?) {
        // The former path is not freed, because a handler may be reading it. There is one file in a process.
        path.store(file.flatMap { strdup($0) }.map { UInt(bitPattern: $0) } ?? 0, ordering: .releasing)
    }

    /// Runs in the handler of a signal: whatever is called here must be allowed there.
    private static func end(_ number: CInt) {
        if let file = UnsafePointer<CChar>(bitPattern: path.load(ordering: .acquiring)) { unlink(file) }
        signal(number, SIG_DFL)
        raise(number)
    }
}
