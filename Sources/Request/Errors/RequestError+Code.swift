extension RequestError {
    /// What went wrong. The set is open: interceptors and transports may have codes of their own.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        /// A code of your own, for an interceptor, a transport or a serializer.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public var description: String { rawValue }

        /// Lets a code be caught by its name: `catch RequestError.Code.idleTimedOut`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? RequestError)?.code == code
        }
    }
}

extension RequestError.Code {
    // What is wrong with the request itself: nothing was sent.

    /// No URL came of base and path, or none that a request can go to.
    public static let badURL = Self(rawValue: "badURL")
    /// The method is no token, such as one with a space in it.
    public static let badMethod = Self(rawValue: "badMethod")
    /// The name of a header is no token, or its value holds a line break or a null byte.
    public static let badHeader = Self(rawValue: "badHeader")
    /// The URL and the headers of the request are together longer than the transport can send.
    public static let headTooLarge = Self(rawValue: "headTooLarge")
    /// The request's body could not be read or made: a missing file, a stream that threw, a value that is not
    /// encodable.
    public static let badBody = Self(rawValue: "badBody")
    /// The request would have to be sent again, but its body is a stream that can be read once.
    public static let bodyNotReplayable = Self(rawValue: "bodyNotReplayable")
    /// A value has no form as a body, a query or a header: an encoder refused it.
    public static let notEncodable = Self(rawValue: "notEncodable")
    /// The request does not say where it goes.
    public static let noEndpoint = Self(rawValue: "noEndpoint")
    /// The request names a path, and its client has no URL to put in front of it.
    public static let noBaseURL = Self(rawValue: "noBaseURL")
    /// Nothing says how the request's output is made of a response.
    public static let noSerializer = Self(rawValue: "noSerializer")
    /// A rule of ``ServerTrust`` cannot be used: a pin that is none, a file that is missing, a passphrase that is wrong.
    public static let badTrust = Self(rawValue: "badTrust")
    /// The transport cannot do what the request wants.
    public static let unsupported = Self(rawValue: "unsupported")

    // What happens on the way there.

    /// The name of the host has no address.
    public static let hostNotFound = Self(rawValue: "hostNotFound")
    /// Nobody listens there, or no way leads there.
    public static let cannotConnect = Self(rawValue: "cannotConnect")
    /// The proxy was not found, or did not let the request pass.
    public static let proxyFailed = Self(rawValue: "proxyFailed")
    /// No secure connection came about.
    public static let tlsFailed = Self(rawValue: "tlsFailed")
    /// The server's certificate is not trusted.
    public static let untrusted = Self(rawValue: "untrusted")
    /// No connection came about within ``Timeouts/connect``.
    public static let connectTimedOut = Self(rawValue: "connectTimedOut")

    // What happens on the way back.

    /// No byte came or went for ``Timeouts/idle``.
    public static let idleTimedOut = Self(rawValue: "idleTimedOut")
    /// It was not done within ``Timeouts/total``.
    public static let totalTimedOut = Self(rawValue: "totalTimedOut")
    /// The connection was closed or reset before the response was complete.
    public static let connectionLost = Self(rawValue: "connectionLost")
    /// The server says, in HTTP/2, that it has not looked at the request.
    public static let notProcessed = Self(rawValue: "notProcessed")
    /// The body ended before its announced end.
    public static let truncated = Self(rawValue: "truncated")
    /// What came is not HTTP.
    public static let badResponse = Self(rawValue: "badResponse")
    /// The body is not in the encoding that its header names.
    public static let badEncoding = Self(rawValue: "badEncoding")
    /// The body grew beyond all reason when it was decoded.
    public static let decompressionLimit = Self(rawValue: "decompressionLimit")
    /// The body has more bytes than ``Request/responseLimit`` or ``Client/Configuration/responseLimit`` allows, which is 256 MB unless one of
    /// them says otherwise.
    public static let responseTooLarge = Self(rawValue: "responseTooLarge")

    /// The body is streamed, and has another reader or had one: it can be read once.
    public static let bodyAlreadyRead = Self(rawValue: "bodyAlreadyRead")

    // What is wrong with a response that is complete.

    /// Its status is none of those that are expected, which are 200 to 299 unless a rule says otherwise.
    public static let badStatus = Self(rawValue: "badStatus")
    /// Its content type is none of those that are expected.
    public static let badContentType = Self(rawValue: "badContentType")
    /// Its body says that the server refused, whatever the status says.
    public static let business = Self(rawValue: "business")
    /// A rule of the application's own refused it.
    public static let refusedResponse = Self(rawValue: "refusedResponse")
    /// It has no body, and something was to be made of one.
    public static let emptyResponse = Self(rawValue: "emptyResponse")
    /// Its body is not what was to be made of it: no JSON, or other JSON than expected.
    public static let notDecodable = Self(rawValue: "notDecodable")

    // What happens here.

    /// The request is answered from the cache only, and nothing is there that counts.
    public static let notCached = Self(rawValue: "notCached")
    /// Another call of its kind is under way, or has taken its place: see ``Uniqueness``.
    public static let duplicate = Self(rawValue: "duplicate")
    /// The process has no descriptors, memory or threads left.
    public static let outOfResources = Self(rawValue: "outOfResources")
    /// The transport, or the client, was shut down.
    public static let shutDown = Self(rawValue: "shutDown")
    /// The system has no library to send requests with.
    public static let noTransport = Self(rawValue: "noTransport")
    /// The transport failed in a way that has no name here.
    public static let transportFailed = Self(rawValue: "transportFailed")
}
