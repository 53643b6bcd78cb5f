import Dispatch
import Synchronization

/// Writes the cookies of a jar to its file, one write after another, on a queue of its own.
///
/// Each write locks the file, reads the changes of other processes, adds those of the jar, and replaces the file.
final class CookieFileWriter: Sendable {
    private struct State {
        /// The file as it was last read or written.
        var stamp: FileStamp?
        var bytes: [UInt8] = []
    }

    let file: CookieFile
    let keepsSessionCookies: Bool
    private let queue = DispatchQueue(label: "Tango.CookieFileWriter", qos: .utility)
    private let state = Mutex(State())

    init(_ file: CookieFile, keepsSessionCookies: Bool) {
        self.file = file
        self.keepsSessionCookies = keepsSessionCookies
    }

    /// Writes the changes of a jar soon. The jar lives until they are written.
    func schedule(_ jar: CookieJar) {
        let start = ContinuousClock.now
        queue.async {
            do throws(CookieJarError) {
                try self.write(jar, since: start)
            } catch {
                jar.state.withLock { $0.file?.failure = error }
            }
        }
    }

    /// Writes all changes that a jar has at the time of the call.
    func save(_ jar: CookieJar) async throws {
        let start = ContinuousClock.now
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { continuation.resume(with: Result { try self.write(jar, since: start) }) }
        }
    }

    /// Returns once the scheduled writes are over, or have failed.
    func finish() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// Reads the file of a new jar, and creates it if there is none.
    func load(_ jar: CookieJar) throws(CookieJarError) {
        // A file that is there is read without the lock, because it is replaced as a whole.
        if let bytes = try file.read(), case .content(let content) = CookieFileContent.read(bytes) {
            take(content, bytes, stamp: nil, in: jar)
        } else {
            try makeFolder()
            try write(jar, since: .now)
        }
    }

    private func makeFolder() throws(CookieJarError) {
        guard let slash = file.path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > file.path.startIndex else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: String(file.path[..<slash]), withIntermediateDirectories: true)
        } catch {
            throw CookieJarError(
                message:
                    "cannot create the folder of \(file.path): check the path and the permissions of the folders above")
        }
    }

    private func take(_ content: CookieFileContent?, _ bytes: [UInt8], stamp: FileStamp?, in jar: CookieJar) {
        let now = jar.now
        jar.state.withLock { state in
            state.merge(content, keepsSessionCookies: keepsSessionCookies, at: now)
            jar.isEmpty.store(state.table.count == 0, ordering: .releasing)
        }
        self.state.withLock { $0 = State(stamp: stamp, bytes: bytes) }
    }

    /// - Parameter start: The moment at which the changes were to be written.
    private func write(_ jar: CookieJar, since start: ContinuousClock.Instant) throws(CookieJarError) {
        jar.state.withLock { $0.file?.begin() }
        try file.locked(since: start) { () throws(CookieJarError) in
            let known = state.withLock { $0 }
            let stamp = FileStamp(file.path)
            var bytesInFile: [UInt8]? = known.bytes
            if known.stamp != stamp {
                bytesInFile = try file.read()
                if let bytes = bytesInFile {
                    switch CookieFileContent.read(bytes) {
                    case .content(let content): take(content, bytes, stamp: stamp, in: jar)
                    case .foreign(let reason): throw CookieJarError(message: "\(file.path) \(reason)")
                    case .damaged:
                        try setAside(jar)
                        bytesInFile = nil
                    }
                }
            }
            let (content, version) = jar.state.withLock { state in
                (state.content(keepsSessionCookies: keepsSessionCookies), state.file?.version ?? 0)
            }
            let bytes = content.bytes
            if bytesInFile != bytes {
                try file.replace(with: bytes)
                state.withLock { $0 = State(stamp: FileStamp(file.path), bytes: bytes) }
            }
            jar.state.withLock { $0.file?.written(version) }
        }
    }

    private func setAside(_ jar: CookieJar) throws(CookieJarError) {
        try file.setAside()
        let damage = CookieJarError(
            message:
                "\(file.path) was damaged. It was set aside as \(file.damagedPath), and a new file was begun with the "
                + "cookies in memory.")
        jar.state.withLock { $0.file?.damage = damage }
    }
}
