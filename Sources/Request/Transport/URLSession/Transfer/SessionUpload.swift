#if canImport(Darwin) || URLSessionOnLinux
    import Foundation

    /// The body of a request, as streams that `URLSession` reads.
    protocol SessionUpload: AnyObject, Sendable {
        /// How many bytes the body says that it has; nil where it does not.
        var length: Int? { get }
        /// Makes what is to be read, where that takes time.
        func prepare() async throws
        /// Whether there is something to prepare.
        var isPrepared: Bool { get }
        /// A stream from the beginning. From the first one on, the length is that of what it reads.
        func makeStream(for transfer: SessionTransfer) -> InputStream
        /// Nothing will be read any more.
        func cancel()
    }
#endif
