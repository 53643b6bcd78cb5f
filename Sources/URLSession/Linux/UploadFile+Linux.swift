#if os(Linux) && URLSessionOnLinux
    /// An open file, and its length when it was opened.
    struct UploadFile: Sendable {
        private let handle: Handle
        let name: String
        let size: Int

        var descriptor: Int32 { handle.descriptor }

        private final class Handle: Sendable {
            let descriptor: Int32

            init(_ descriptor: Int32) {
                self.descriptor = descriptor
            }

            deinit {
                close(descriptor)
            }
        }

        init(_ url: URL) throws {
            name = Self.name(url)
            // Opening a pipe would block until a process writes to it.
            handle = try Self.open(url.path, O_RDONLY | O_NONBLOCK, name)
            var facts = stat()
            guard fstat(handle.descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
                throw RequestError(
                    .badBody, phase: .prepare,
                    detail: "\(name) is not a regular file: send a file, not a folder or a device")
            }
            size = Int(facts.st_size)
        }

        /// Returns the length of a file without opening it. Throws if the file cannot be read.
        static func length(_ url: URL) throws -> Int {
            guard url.isFileURL else {
                throw RequestError(
                    .badBody, phase: .prepare,
                    detail:
                        "\(url.absoluteString.debugDescription) is not the URL of a file: create it with URL(filePath:)"
                )
            }
            var facts = stat()
            guard stat(url.path, &facts) == 0, access(url.path, R_OK) == 0 else {
                throw problem(errno, "\(name(url)) cannot be opened")
            }
            guard facts.st_mode & S_IFMT == S_IFREG else {
                throw RequestError(
                    .badBody, phase: .prepare,
                    detail: "\(name(url)) is not a regular file: send a file, not a folder or a device")
            }
            return Int(facts.st_size)
        }

        private static func name(_ url: URL) -> String { "the file \(url.path.debugDescription)" }

        /// Reads some bytes. Returns 0 at the end.
        func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws -> Int {
            let wanted = min(buffer.count, size - position)
            guard wanted > 0 else { return 0 }
            let count = pread(descriptor, buffer.baseAddress, wanted, position)
            guard count > 0 else {
                let reason =
                    count == 0
                    ? "had \(size) bytes when sending began, and has fewer now: send a copy if it is still being written"
                    : "cannot be read: \(String(cString: strerror(errno)))"
                throw RequestError(.badBody, phase: .send, detail: "\(name) \(reason)")
            }
            return count
        }

        private static func open(_ path: String, _ flags: Int32, _ name: String) throws -> Handle {
            let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw problem(errno, "\(name) cannot be opened") }
            return Handle(descriptor)
        }

        private static func problem(_ code: Int32, _ what: String) -> RequestError {
            let isExhausted = [EMFILE, ENFILE, ENOMEM, ENOSPC].contains(code)
            let advice =
                isExhausted ? "free descriptors, memory or disk space" : "check its path and its permissions"
            return RequestError(
                isExhausted ? .outOfResources : .badBody, phase: .prepare,
                detail: "\(what) (\(String(cString: strerror(code)))): \(advice)")
        }
    }
#endif
