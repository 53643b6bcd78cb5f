extension RequestError {
    /// The kind of error. The set is open: interceptors and transports may define their own codes.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        /// Creates a code of your own, for an interceptor, a transport or a serializer.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public var description: String { rawValue }

        /// Matches an error with this code: `catch RequestError.Code.idleTimedOut`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? RequestError)?.code == code
        }
    }
}

extension RequestError.Code {
    // Errors in the request itself. Nothing was sent.

    /// The base URL and the path do not form a valid HTTP URL.
    public static let badURL = Self(rawValue: "badURL")
    /// The method is not a token, for example because it contains a space.
    public static let badMethod = Self(rawValue: "badMethod")
    /// The name of a header is not a token, or its value contains a line break or a null byte.
    public static let badHeader = Self(rawValue: "badHeader")
    /// The URL and the headers together are longer than the transport can send.
    public static let headTooLarge = Self(rawValue: "headTooLarge")
    /// The body of the request could not be read or built. Examples are a missing file, a stream that threw, and a
    /// value that cannot be encoded.
    public static let badBody = Self(rawValue: "badBody")
    /// The request would have to be sent again, but its body is a stream that can be read only once.
    public static let bodyNotReplayable = Self(rawValue: "bodyNotReplayable")
    /// An encoder refused a value of a body, a query or a header.
    public static let notEncodable = Self(rawValue: "notEncodable")
    /// The request has no endpoint.
    public static let noEndpoint = Self(rawValue: "noEndpoint")
    /// The request has a path, and its client has no base URL.
    public static let noBaseURL = Self(rawValue: "noBaseURL")
    /// The output of the request has no serializer.
    public static let noSerializer = Self(rawValue: "noSerializer")
    /// A rule of ``ServerTrust`` cannot be used: an invalid pin, a missing file or a wrong passphrase.
    public static let badTrust = Self(rawValue: "badTrust")
    /// A setting has an invalid value, such as a negative limit in a ``RetryPolicy``, a ``RetryBudget`` or a ``Limiter``.
    public static let badPolicy = Self(rawValue: "badPolicy")
    /// Too many requests wait for the ``Limiter`` of the client.
    public static let queueFull = Self(rawValue: "queueFull")
    /// A test has no response for the request: see `MockTransport` and `HARReplay`. Or `RealServers.refuse()` forbids requests
    /// to real servers.
    public static let noStub = Self(rawValue: "noStub")
    /// The transport does not support a feature that the request needs.
    public static let unsupported = Self(rawValue: "unsupported")

    // Errors on the way to the server.

    /// The device has no network, so nothing was sent: see ``Client/Configuration/waitsForConnectivity``.
    public static let offline = Self(rawValue: "offline")
    /// The name of the host has no address.
    public static let hostNotFound = Self(rawValue: "hostNotFound")
    /// No server accepts connections at the address, or no route leads to it.
    public static let cannotConnect = Self(rawValue: "cannotConnect")
    /// The proxy was not found, or refused the request.
    public static let proxyFailed = Self(rawValue: "proxyFailed")
    /// The proxy requires a user and a password, or rejected them. An HTTP proxy has refused a tunnel with the status
    /// 407.
    public static let proxyAuthenticationRequired = Self(rawValue: "proxyAuthenticationRequired")
    /// The TLS handshake failed.
    public static let tlsFailed = Self(rawValue: "tlsFailed")
    /// The server's certificate is not trusted.
    public static let untrusted = Self(rawValue: "untrusted")
    /// No connection was established within ``Timeouts/connect``.
    public static let connectTimedOut = Self(rawValue: "connectTimedOut")

    // Errors while the request is sent or the response is received.

    /// No byte was sent or received for ``Timeouts/idle``.
    public static let idleTimedOut = Self(rawValue: "idleTimedOut")
    /// An attempt did not finish within ``Timeouts/attempt``.
    public static let attemptTimedOut = Self(rawValue: "attemptTimedOut")
    /// The call did not finish within ``Timeouts/total``.
    public static let totalTimedOut = Self(rawValue: "totalTimedOut")
    /// The application has left the foreground, and the time that the system gave it is over: see
    /// ``BackgroundPolicy/finish``.
    public static let backgroundTimeExpired = Self(rawValue: "backgroundTimeExpired")
    /// The connection was closed or reset before the response was complete.
    public static let connectionLost = Self(rawValue: "connectionLost")
    /// A redirect cannot be followed: its `Location` is invalid, or leads from `https` to `http`.
    public static let badRedirect = Self(rawValue: "badRedirect")
    /// The server redirects in a loop, or more often than the ``RedirectPolicy`` allows.
    public static let tooManyRedirects = Self(rawValue: "tooManyRedirects")
    /// The server said, in HTTP/2, that it did not process the request.
    public static let notProcessed = Self(rawValue: "notProcessed")
    /// The body ended before its announced end.
    public static let truncated = Self(rawValue: "truncated")
    /// The response is not valid HTTP.
    public static let badResponse = Self(rawValue: "badResponse")
    /// The body is not in the encoding that its header names.
    public static let badEncoding = Self(rawValue: "badEncoding")
    /// The body became far too large when it was decompressed.
    public static let decompressionLimit = Self(rawValue: "decompressionLimit")
    /// The body has more bytes than ``Request/responseLimit`` or ``Client/Configuration/responseLimit`` allows. The
    /// default is 256 MB.
    public static let responseTooLarge = Self(rawValue: "responseTooLarge")

    /// A line or an event of a streamed body has more bytes than the limit of its stream.
    public static let elementTooLarge = Self(rawValue: "elementTooLarge")
    /// A streamed body could not be written to its destination.
    public static let notWritten = Self(rawValue: "notWritten")
    /// The body is streamed, and has or had another reader. It can be read only once.
    public static let bodyAlreadyRead = Self(rawValue: "bodyAlreadyRead")

    // Errors of files.

    /// The `Destination` of a download is missing, or cannot be used: its folder does not exist, for example.
    public static let badDestination = Self(rawValue: "badDestination")
    /// Another download writes to the same destination, in this process or another one.
    public static let destinationInUse = Self(rawValue: "destinationInUse")
    /// The disk has no room for the rest of a download.
    public static let diskFull = Self(rawValue: "diskFull")
    /// The system refuses to create, write or rename the file of a download.
    public static let cannotWriteFile = Self(rawValue: "cannotWriteFile")
    /// The complete file does not have its `Download.checksum`.
    public static let checksumMismatch = Self(rawValue: "checksumMismatch")

    // Errors in a complete response.

    /// The status is not an expected one. By default, 200 to 299 are expected.
    public static let badStatus = Self(rawValue: "badStatus")
    /// The content type is not an expected one.
    public static let badContentType = Self(rawValue: "badContentType")
    /// The body says that the server refused the request, whatever the status.
    public static let business = Self(rawValue: "business")
    /// A validation rule of the application refused the response.
    public static let refusedResponse = Self(rawValue: "refusedResponse")
    /// The body is empty, and the output needs one.
    public static let emptyResponse = Self(rawValue: "emptyResponse")
    /// The body is not JSON, or does not have the form of the output.
    public static let notDecodable = Self(rawValue: "notDecodable")

    // Errors of credentials.

    /// There are no credentials, so nothing was sent: the user has to sign in.
    public static let signInRequired = Self(rawValue: "signInRequired")
    /// The credentials could not be had. The underlying error says why.
    public static let authenticationFailed = Self(rawValue: "authenticationFailed")
    /// No credentials were there within `Authenticator.holdLimit`.
    public static let authenticationTimedOut = Self(rawValue: "authenticationTimedOut")
    /// The server requires a scheme, such as `Negotiate`, that the `Authenticator` of the client does not support.
    public static let unsupportedChallenge = Self(rawValue: "unsupportedChallenge")
    /// The user has signed out since the call was started.
    public static let signedOut = Self(rawValue: "signedOut")
    /// The next page has the address of an earlier page, an invalid address, or one that may not be followed: see
    /// ``Paging``.
    public static let badPage = Self(rawValue: "badPage")

    // Errors of the client, the cache and the transport.

    /// The policy allows only the cache, and the cache has no fresh response.
    public static let notCached = Self(rawValue: "notCached")
    /// Another call of the same kind is in flight, or has replaced this one: see ``Uniqueness``.
    public static let duplicate = Self(rawValue: "duplicate")
    /// The process has no descriptors, memory or threads left.
    public static let outOfResources = Self(rawValue: "outOfResources")
    /// The transport or the client was shut down.
    public static let shutDown = Self(rawValue: "shutDown")
    /// The system has no library that can send requests.
    public static let noTransport = Self(rawValue: "noTransport")
    /// The transport failed for a reason without a code of its own.
    public static let transportFailed = Self(rawValue: "transportFailed")
}
