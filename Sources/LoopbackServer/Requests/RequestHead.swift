/// The positions of the parts of a request's head, and its properties that determine how the server reads on.
struct RequestHead {
    /// The start of the method. Empty lines may precede it.
    var methodStart = 0
    var methodEnd = 0
    var targetStart = 0
    var targetEnd = 0
    /// The path inside of the target, without the query.
    var pathStart = 0
    var pathEnd = 0
    var linesStart = 0
    /// The index after the empty line.
    var end = 0

    var minorVersion = 1
    var length: Int?
    var isChunked = false
    var closes = false
    var keepsAlive = false
    var expectsContinue = false
    var hosts = 0

    var hasBody: Bool { isChunked || (length ?? 0) > 0 }
    /// A Boolean value that indicates whether the client leaves the connection open for more requests.
    var isPersistent: Bool { !closes && (minorVersion == 1 || keepsAlive) }
}

/// The result of parsing a head.
enum HeadResult {
    case incomplete
    case head(RequestHead)
    /// Bytes that are not an HTTP/1 request, with the reason.
    case malformed(String, status: Int)
}
