import Foundation

extension BodyStream {
    /// Writes the rest of the body to an output stream, and returns the number of bytes.
    ///
    /// The stream is opened if necessary, and stays open. The server waits while the stream accepts no bytes. Until the method
    /// returns, nothing else may use the stream. An error of the stream is a ``RequestError/Code/notWritten`` and closes the
    /// connection. Cancelling the task takes effect when the stream has accepted its portion.
    @discardableResult
    public func write(to output: OutputStream) async throws -> Int {
        // The caller waits while a portion is written, so only one thread at a time uses the stream.
        nonisolated(unsafe) let output = output
        if output.streamStatus == .notOpen { output.open() }
        return try await write(with: { portion in
            #if os(Linux)
                // The stream may be that of a pipe without a reader.
                try BrokenPipeSignal.absorbed { Result { try Self.write(portion, to: output) } }.get()
            #else
                try Self.write(portion, to: output)
            #endif
        })
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
    /// The handle stays open. It may be that of a pipe: see ``write(to:)-(Int32)``. An error of the handle is a
    /// ``RequestError/Code/notWritten`` and closes the connection.
    @discardableResult
    public func write(to handle: FileHandle) async throws -> Int {
        do {
            // A handle that was closed has no descriptor.
            try handle.write(contentsOf: Data())
        } catch {
            cancel()
            throw RequestError.notWritten("the file handle failed", error)
        }
        defer { withExtendedLifetime(handle) {} }
        return try await write(to: handle.fileDescriptor)
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
