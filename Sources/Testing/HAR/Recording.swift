#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The exchanges in a HAR file, of ``HARRecorder`` or of a browser.
///
/// ```swift
/// let recording = try Recording(file: file)
/// for exchange in recording.exchanges { print(exchange) }
/// ```
public struct Recording: Sendable {
    /// A request of a recording with its response, or with the error of the connection.
    public struct Exchange: Sendable {
        /// The method of the request.
        public let method: HTTPMethod
        /// The URL of the request, in which secrets may be replaced.
        public let url: String
        /// The response, with a decoded body; nil if the request failed without one.
        public let response: HTTPResponse?
        /// The code of the error of a request that failed without a response.
        public let error: RequestError.Code?
        /// False if the file does not have the body of the response: it was streamed, or longer than the limit of the
        /// recorder.
        public let isComplete: Bool
        /// The body of the request, if the file has it.
        let sent: SentBody
    }

    /// The body of a recorded request.
    enum SentBody: Sendable, Hashable {
        case none
        /// The file does not have it: it was streamed, or longer than the limit of the recorder.
        case unknown
        case text(String, type: String)
        case bytes(Data)
    }

    /// The exchanges with servers, in the order of the file. Responses from a cache are left out, and so are requests that
    /// were cancelled.
    public let exchanges: [Exchange]

    /// Reads a file.
    ///
    /// - Throws: A ``RecordingError`` if the file cannot be read, is incomplete, or has an unknown version.
    public init(file: URL) throws(RecordingError) {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw RecordingError(message: "cannot read the recording \(file.path): \(error.localizedDescription)")
        }
        try self.init(data, name: file.path)
    }

    /// Reads the content of a file.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - name: The name of the recording in errors.
    public init(_ data: Data, name: String = "the recording") throws(RecordingError) {
        exchanges = try HARReading.read(data, name: name).compactMap(Exchange.init)
    }
}

extension Recording.Exchange: CustomStringConvertible {
    /// The method, the URL and the status or the error.
    public var description: String {
        "\(method) \(url) -> \(response.map { "\($0.status.code)" } ?? error.map { "\($0)" } ?? "no response")"
    }
}

extension Recording: CustomStringConvertible {
    /// The number of exchanges.
    public var description: String { "Recording, \(exchanges.count) exchanges" }
}
