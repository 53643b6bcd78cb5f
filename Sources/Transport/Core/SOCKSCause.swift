/// The error for a SOCKS5 proxy that has not opened a connection: a pure function of libcurl's reason.
package enum SOCKSCause: Hashable, Sendable, CaseIterable {
    /// The proxy rejected the user and the password, or accepts none of the offered methods.
    case authentication
    /// The proxy cannot reach the server.
    case unreachable
    /// The proxy forbids the connection.
    case forbidden
    /// This system found no address for the host of the URL.
    case unknownHost
    /// The proxy cannot connect to this kind of address.
    case addressType
    /// The proxy closed the connection during the handshake.
    case closed
    /// The proxy sent something else than SOCKS5.
    case protocolViolation
    /// The proxy failed without a reason.
    case failed

    /// Reads one of libcurl's `CURLPX` constants; nil for 0, no failure.
    package init?(number: Int) {
        switch number {
        case 0: return nil
        case 12, 33: self = .authentication
        case 19, 21, 22, 24: self = .unreachable
        case 23: self = .forbidden
        case 27: self = .unknownHost
        case 9, 17: self = .addressType
        case 3, 13...16, 28...30: self = .closed
        case 1, 2, 18, 31, 32: self = .protocolViolation
        default: self = .failed
        }
    }

    package var code: RequestError.Code {
        switch self {
        case .authentication: .proxyAuthenticationRequired
        case .unreachable: .cannotConnect
        case .unknownHost: .hostNotFound
        case .forbidden, .addressType, .closed, .protocolViolation, .failed: .proxyFailed
        }
    }

    /// The problem, then what to do. It never contains a user or a password.
    package func detail(for address: ServerAddress, message: String) -> String {
        "\(sentence(for: "\(address.host), port \(address.port)", address.host)) (\(message))"
    }

    private func sentence(for server: String, _ host: String) -> String {
        switch self {
        case .authentication:
            "the SOCKS5 proxy requires a valid user and password: check those of the proxy"
        case .unreachable:
            "the SOCKS5 proxy cannot reach \(server): check that the server runs, then try again"
        case .forbidden: "the SOCKS5 proxy forbids connections to \(server): check the rules of the proxy"
        case .unknownHost: "the host \(host) has no address: check its name, or let the proxy look it up"
        case .addressType:
            "the SOCKS5 proxy does not support the address of \(server): use another host, or another proxy"
        case .closed: "the SOCKS5 proxy closed the connection within its handshake: check that the proxy works"
        case .protocolViolation: "the proxy did not respond with SOCKS5: check its host and its port"
        case .failed: "the SOCKS5 proxy failed to connect to \(server): check that the proxy works, then try again"
        }
    }
}
