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
#endif
