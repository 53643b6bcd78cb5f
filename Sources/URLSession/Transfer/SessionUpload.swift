#if canImport(Darwin) || URLSessionOnLinux
    import Foundation

    /// The body of a request as streams for `URLSession`.
    protocol SessionUpload: AnyObject, Sendable {
        /// The declared length of the body, or nil if it is unknown.
        var length: Int? { get }
        /// Collects the bytes of the body, if that takes time.
        func prepare() async throws
        /// A Boolean value that indicates whether the body can be read without calling `prepare()`.
        var isPrepared: Bool { get }
        /// Returns a stream from the beginning. After the first call, `length` is the length of the bytes that the
        /// stream reads.
        func makeStream(for transfer: SessionTransfer) -> InputStream
        /// Ends the upload. No bytes will be read after it.
        func cancel()
    }
#endif
