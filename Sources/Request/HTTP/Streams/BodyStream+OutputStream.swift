import Foundation

extension BodyStream {
    /// Writes the rest of the body to an output stream, and returns the number of bytes.
    ///
    /// The stream is opened if necessary, and stays open. The server waits while the stream accepts no bytes. Until the method
    /// returns, nothing else may use the stream. An error of the stream is a ``RequestError/Code/notWritten`` and closes the
    /// connection.
    @discardableResult
    public func write(to output: OutputStream) async throws -> Int {
        // The caller waits while a portion is written, so only one thread at a time uses the stream.
        nonisolated(unsafe) let output = output
        if output.streamStatus == .notOpen { output.open() }
        return try await write(with: { portion in try Self.write(portion, to: output) })
    }

    private static func write(_ portion: Data, to output: OutputStream) throws {
        try portion.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
            var place = 0
            while place < bytes.count {
                let count = output.write(base + place, maxLength: bytes.count - place)
                if count == 0 { throw RequestError.notWritten("the output stream has no room left") }
                if count < 0 {
                    throw RequestError.notWritten("the output stream failed", output.streamError)
                }
                place += count
            }
        }
    }

    /// Writes the rest of the body to a file handle, at its current offset, and returns the number of bytes.
    ///
    /// The handle stays open. An error of the handle is a ``RequestError/Code/notWritten`` and closes the connection.
    @discardableResult
    public func write(to handle: FileHandle) async throws -> Int {
        try await write(with: { portion in
            do {
                try handle.write(contentsOf: portion)
            } catch {
                throw RequestError.notWritten("the file handle failed", error)
            }
        })
    }
}

extension ByteStream {
    /// Writes the rest of the body to an output stream: see ``BodyStream/write(to:)-(OutputStream)``.
    @discardableResult
    public func write(to output: OutputStream) async throws -> Int {
        try await stream.write(to: output)
    }

    /// Writes the rest of the body to a file handle: see ``BodyStream/write(to:)-(FileHandle)``.
    @discardableResult
    public func write(to handle: FileHandle) async throws -> Int {
        try await stream.write(to: handle)
    }
}
