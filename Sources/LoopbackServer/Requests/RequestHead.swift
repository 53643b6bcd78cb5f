/// Where the parts of a request's head are in its bytes, and what it says about the rest.
struct RequestHead {
    /// Empty lines may stand before it.
    var methodStart = 0
    var methodEnd = 0
    var targetStart = 0
    var targetEnd = 0
    /// The path inside of the target, without the query.
    var pathStart = 0
    var pathEnd = 0
    var linesStart = 0
    /// Behind the empty line.
    var end = 0

    var minorVersion = 1
    var length: Int?
    var isChunked = false
    var closes = false
    var keepsAlive = false
    var expectsContinue = false
    var hosts = 0

    var hasBody: Bool { isChunked || (length ?? 0) > 0 }
    /// Whether the client wants to send more requests on the connection.
    var isPersistent: Bool { !closes && (minorVersion == 1 || keepsAlive) }
}

/// How reading a head ends.
enum HeadResult {
    case incomplete
    case head(RequestHead)
    /// Bytes that are no request of HTTP/1, and why.
    case malformed(String, status: Int)
}
