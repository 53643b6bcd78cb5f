#if os(Linux)
    /// The source of the bytes of a request's body. The loop's driver reads it, so no method may block.
    protocol CurlUpload: AnyObject, Sendable {
        /// The length of the body, or nil if it is unknown.
        var length: Int? { get }
        /// The number of bytes read.
        var position: Int { get }
        func attach(to transfer: CurlTransfer)
        /// Opens the source. Called when the transfer begins, so a transfer that waits in a queue holds no descriptor.
        /// Returns false if the transfer cannot begin yet: `CurlLoop.Command.send` follows when it can.
        func open() throws(RequestError) -> Bool
        func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlUploadStep
        /// Returns to the beginning. Returns false if that is impossible.
        func rewind() -> Bool
        /// Ends the upload. No bytes will be read after it.
        func cancel()
    }

    enum CurlUploadStep {
        /// The number of bytes read; 0 at the end.
        case some(Int)
        /// No bytes yet: `CurlLoop.Command.send` follows when there are some.
        case later
        case failed(RequestError)
    }

    /// A body in memory, which is not copied as a whole.
    final class CurlDataUpload: CurlUpload, @unchecked Sendable {
        private let data: Data
        private(set) var position = 0

        init(_ data: Data) {
            self.data = data
        }

        var length: Int? { data.count }

        func attach(to transfer: CurlTransfer) {}

        func open() -> Bool { true }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlUploadStep {
            let count = min(buffer.count, data.count - position)
            guard count > 0 else { return .some(0) }
            let start = data.startIndex + position
            data.copyBytes(to: buffer.bindMemory(to: UInt8.self), from: start..<start + count)
            position += count
            return .some(count)
        }

        func rewind() -> Bool {
            position = 0
            return true
        }

        func cancel() {}
    }
#endif
