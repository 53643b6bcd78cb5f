import Foundation

/// The body of a request, as streams that `URLSession` reads.
protocol SessionUpload: AnyObject, Sendable {
    /// How many bytes there are; nil where that is not known.
    var length: Int? { get }
    /// Whether reading may have to wait for whoever makes the body.
    var mayWait: Bool { get }
    /// A stream from the beginning.
    func makeStream(for transfer: SessionTransfer) -> InputStream
    /// Nothing will be read any more.
    func cancel()
}
