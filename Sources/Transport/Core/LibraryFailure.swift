extension RequestError.Code {
    /// The text for a failure that a transport learns from its library, with the message of the library.
    ///
    /// A time limit has no message of the library: the library and the transport measure the same time, and either of
    /// them may end it first.
    package func detail(for address: ServerAddress, _ timeouts: Timeouts, message: String) -> String {
        let sentence = sentence(for: address, timeouts)
        return self == .connectTimedOut || self == .idleTimedOut ? sentence : "\(sentence) (\(message))"
    }

    /// The problem, then what to do.
    private func sentence(for address: ServerAddress, _ timeouts: Timeouts) -> String {
        switch self {
        case .badURL: "the URL is invalid: check its characters"
        case .unsupported: "the installed library does not support the request: install a newer one"
        case .offline:
            "the device has no network: connect it to one, or let requests wait with waitsForConnectivity"
        case .hostNotFound: "the host \(address.host) has no address: check its name and the network"
        case .cannotConnect:
            "no connection to \(address.host), port \(address.port): check that the server runs and can be reached"
        case .proxyFailed: "the proxy cannot be used: check its host, its port and its password"
        case .proxyAuthenticationRequired: "the proxy requires a valid user and password: check those of the proxy"
        case .tlsFailed: "the TLS handshake with \(address.host) failed: check the TLS settings of the server"
        case .untrusted: "the certificate of \(address.host) is not trusted: check it, or the rules of ServerTrust"
        case .badTrust: "the client certificate cannot be used: check its passphrase and its private key"
        case .connectTimedOut, .idleTimedOut: timeouts.detail(of: self)
        case .connectionLost: "the connection to \(address.host) was lost: try again, if the request is idempotent"
        case .notProcessed: "\(address.host) did not process the request: try again"
        case .truncated: "the body ended before its announced end: try again, if the request is idempotent"
        case .badResponse: "the response is not valid HTTP: check the server, and any proxy before it"
        case .badEncoding: "the body is not compressed as its header says: check the server"
        case .decompressionLimit: "the body was decoded to too many bytes: do not trust the server"
        case .bodyNotReplayable:
            "the body can be read once, and must be sent again: make it with a closure, `.stream { … }`"
        case .badBody: "the body of the request cannot be read: check its source"
        case .outOfResources: "no descriptors, memory or ports are left: limit the number of calls in flight"
        default: "the transfer failed: see the message of the library"
        }
    }
}
