/// An exchange in a HAR file, with the names and types of HAR 1.2. Fields that begin with an underscore are our own, which
/// the format allows.
package struct HAREntry: Sendable {
    package struct Pair: Decodable, Sendable, Hashable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package struct Request: Sendable {
        package var method: String
        package var url: String
        package var httpVersion: String
        package var cookies: [Pair] = []
        package var headers: [Pair]
        package var queryString: [Pair]
        package var postData: PostData?
        /// The number of bytes up to the body; -1 if it is unknown.
        package var headersSize = -1
        package var bodySize: Int
        /// The first digits of the digest of the secrets: see `SecretDigest`.
        package var _digest: String?
    }

    package struct PostData: Sendable {
        package var mimeType: String
        package var params: [Pair] = []
        package var text: String
        /// The encoding of the text: `base64` for a binary body. The format has this field for responses only.
        package var _encoding: String?
    }

    package struct Response: Sendable {
        package var status: Int
        package var statusText: String
        package var httpVersion: String
        package var cookies: [Pair] = []
        package var headers: [Pair]
        package var content: Content
        package var redirectURL: String
        package var headersSize = -1
        /// The number of bytes of the body on the wire; -1 if it is unknown.
        package var bodySize: Int
        package var _trailers: [Pair]?
        /// The error of an attempt that failed.
        package var _error: String?
        /// The code of that error, or ``HAREntry/cancelled``.
        package var _code: String?
    }

    package struct Content: Sendable {
        /// The number of bytes after decoding.
        package var size: Int
        /// The number of bytes that compression has saved.
        package var compression: Int?
        package var mimeType: String
        package var text: String?
        package var encoding: String?
        package var comment: String?
    }

    /// The durations of the phases in milliseconds; -1 if a phase does not apply or is unknown.
    package struct Timings: Sendable, Hashable {
        package var blocked = -1.0
        package var dns = -1.0
        package var connect = -1.0
        package var ssl = -1.0
        package var send = 0.0
        package var wait = 0.0
        package var receive = 0.0
    }

    package static let cancelled = "cancelled"

    package var startedDateTime: String
    /// The sum of the phases in milliseconds.
    package var time: Double
    package var request: Request
    package var response: Response
    package var timings: Timings
    package var serverIPAddress: String?
    package var _call: UInt64?
    package var _attempt: Int?
    /// The reason for the attempt: `first`, `retry`, `redirect`, …
    package var _cause: String?
    /// The use of the cache: `fresh`, `stale` or `validated`.
    package var _cache: String?
    /// The type of the request, such as `GetUser`.
    package var _request: String?
}
