import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The cleanup when a signal ends the process: it removes an incomplete file.
public enum Interruption {
    /// The address of the path of that file; zero for none. A signal may come at any moment, so no lock guards it.
    private static let path = Atomic<UInt>(0)

    /// Handles the signals that end a process.
    ///
    /// A pipe whose reader has ended causes an error of the write, and no signal.
    public static func watch() {
        _ = path.load(ordering: .relaxed)
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGHUP, SIGINT, SIGTERM] {
            let former = signal(number) { number in Interruption.end(number) }
            // Signals that the caller ignores, such as the end of a terminal, stay ignored.
            if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
    }

    /// Sets the file that is removed when the process is interrupted; nil for none.
    static func removes(_ file: String?) {
        // The old path is not freed, because a handler may be reading it. A process has one such file.
        path.store(file.flatMap { strdup($0) }.map { UInt(bitPattern: $0) } ?? 0, ordering: .releasing)
    }

    /// Handles a signal. It may only call functions that are allowed in a signal handler.
    private static func end(_ number: CInt) {
        if let file = UnsafePointer<CChar>(bitPattern: path.load(ordering: .acquiring)) { unlink(file) }
        signal(number, SIG_DFL)
        raise(number)
    }
}
