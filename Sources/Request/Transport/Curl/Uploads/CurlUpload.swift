#if os(Linux)
    /// Where the bytes of a request body come from. Read by whoever drives the loop, which nothing here may block.
    protocol CurlUpload: AnyObject, Sendable {
        /// How many bytes there are; nil where that is not known.
        var length: Int? { get }
        /// How many have been read.
        var position: Int { get }
        func attach(to transfer: CurlTransfer)
        /// Opens what is read. Called when the transfer begins: what waits for its turn holds nothing open.
        func open() throws(RequestError)
        func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlUploadStep
        /// Begins again at the beginning. Returns whether that can be.
        func rewind() -> Bool
        /// Nothing will be read any more.
        func cancel()
    }

    enum CurlUploadStep {
        /// So many bytes; 0 is the end.
        case some(Int)
        /// Nothing yet: `CurlLoop.Command.send` will say when.
        case later
        case failed(RequestError)
    }
#endif
