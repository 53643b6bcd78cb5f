import TangoPlatform

/// A file whose length has been determined and must not change.
package struct FileSource: Sendable {
    let path: String
    package let count: Int64
    private let version: String

    package init(_ url: URL) throws {
        path = url.path(percentEncoded: false)
        guard url.isFileURL, !path.utf8.contains(0) else {
            throw RequestEncodingError(
                .fileUnreadable,
                "\(RequestURL.shown(url.absoluteString)) is not the URL of a file: create it with URL(filePath:)")
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw RequestEncodingError(errno, "opened", path) }
        count = try Self.length(status, path)
        version = FileStatus(status).version
    }

    /// Opens the file.
    package func open() throws -> Open {
        // The file may have become a pipe. Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = Self.openSystem(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw RequestEncodingError(errno, "opened", path) }
        let file = Open(descriptor: descriptor, source: self)
        try file.checkLength()
        return file
    }

    /// Returns the length of a regular file.
    private static func length(_ status: stat, _ path: String) throws -> Int64 {
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int64(status.st_size)
        case S_IFDIR:
            throw RequestEncodingError(.fileUnreadable, "\(path.debugDescription) is a folder: send a file")
        default:
            throw RequestEncodingError(
                .fileUnreadable, "\(path.debugDescription) is a device or a pipe: send a regular file")
        }
    }

    private static func openSystem(_ path: String, _ flags: Int32) -> Int32 {
        while true {
            #if canImport(Darwin)
                let descriptor = Darwin.open(path, flags)
            #elseif canImport(Glibc)
                let descriptor = Glibc.open(path, flags)
            #else
                let descriptor = Musl.open(path, flags)
            #endif
            if descriptor >= 0 || errno != EINTR { return descriptor }
        }
    }

    /// An open file. It is closed when the last reader is released.
    package final class Open: Sendable {
        private let descriptor: Int32
        private let source: FileSource

        init(descriptor: Int32, source: FileSource) {
            self.descriptor = descriptor
            self.source = source
        }

        deinit { close(descriptor) }

        /// Fills a buffer with the bytes from an offset.
        package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
            var filled = 0
            while filled < buffer.count, let start = buffer.baseAddress {
                let count = pread(descriptor, start + filled, buffer.count - filled, off_t(offset) + off_t(filled))
                switch count {
                case 1...: filled += count
                case 0: throw changed(to: "\(offset + Int64(filled))")
                default: if errno != EINTR { throw RequestEncodingError(errno, "read", source.path) }
                }
            }
            // Before its last byte is sent, so that the server never takes the body for a complete one.
            guard offset + Int64(filled) == source.count, FileStatus(of: descriptor)?.version != source.version else {
                return
            }
            throw RequestEncodingError(
                .fileChanged,
                "\(source.path.debugDescription) was changed while it was sent: send a copy if it is still being written"
            )
        }

        /// Throws if the length has changed.
        func checkLength() throws {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw RequestEncodingError(errno, "opened", source.path) }
            let now = try FileSource.length(status, source.path)
            guard now == source.count else { throw changed(to: "\(now)") }
        }

        private func changed(to count: String) -> RequestEncodingError {
            RequestEncodingError(
                .fileChanged,
                "\(source.path.debugDescription) had \(source.count) bytes and now has \(count): "
                    + "send a copy if it is still being written")
        }
    }
}

extension RequestEncodingError {
    /// Creates an error from an error number of the system.
    fileprivate init(_ number: Int32, _ verb: String, _ path: String) {
        let reason = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        let code = number == ENOENT || number == ENOTDIR ? Code.fileMissing : .fileUnreadable
        self.init(
            code, "the file \(path.debugDescription) cannot be \(verb) (\(reason)): check its path and its permissions")
    }
}
