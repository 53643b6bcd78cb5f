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
        /// The response, with a decoded body; nil if the request failed or was cancelled without one.
        public let response: HTTPResponse?
        /// The code of the error of a request that failed without a response.
        public let error: RequestError.Code?
        /// False if the file does not have the body of the response: it was streamed, or longer than the limit of the
        /// recorder.
        public let isComplete: Bool
        /// A Boolean value that indicates whether the request was cancelled. In a replay, its response does not arrive.
        public let isCancelled: Bool
        /// The body of the request, if the file has it.
        let sent: SentBody
        /// The first digits of the digest of the secrets of the request.
        let digest: String?
        /// The exchange to which a redirect led whose `Location` has a secret.
        var next: Int?
    }

    /// The body of a recorded request.
    enum SentBody: Sendable, Hashable {
        case none
        /// The file does not have it: it was streamed, or longer than the limit of the recorder.
        case unknown
        case data(Data, type: String)
    }

    /// The exchanges with servers, in the order of the file. Responses from a cache are left out.
    public let exchanges: [Exchange]
    /// The digest of secrets, with the key of the file.
    let digest: SecretDigest
    /// False for a file of another program, which may have its secrets.
    let isRedacted: Bool

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
        let log = try HARReading.read(data, name: name)
        exchanges = try HARReading.exchanges(log, name: name)
        let digest = log._digestKey.flatMap(SecretDigest.init(key:))
        self.digest = digest ?? SecretDigest()
        isRedacted = digest != nil
    }
}

extension Recording.Exchange: CustomStringConvertible {
    /// The method, the URL and the status or the error.
    public var description: String {
        let outcome = response.map { "\($0.status.code)" } ?? error.map { "\($0)" } ?? "no response"
        return "\(method) \(url) -> \(isCancelled ? HAREntry.cancelled : outcome)"
    }
}

extension Recording: CustomStringConvertible {
    /// The number of exchanges.
    public var description: String { "Recording, \(exchanges.count) exchanges" }
}
