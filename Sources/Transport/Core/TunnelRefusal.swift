/// The error for a proxy that has refused a `CONNECT` request: a pure function of its response.
package struct TunnelRefusal: Equatable, Sendable {
    /// The status of the proxy's response.
    let status: Int
    /// The schemes that the proxy accepts, such as `Basic`, as far as the library reports them.
    var schemes: [String] = []

    /// Nil if the status is no refusal.
    init?(status: Int, schemes: [String] = []) {
        guard status >= 300 else { return nil }
        self.status = status
        self.schemes = schemes
    }

    /// Reads the schemes from the bits of libcurl's `CURLAUTH` constants.
    package init?(status: Int, curlSchemes: Int) {
        let names = [(0, "Basic"), (1, "Digest"), (2, "Negotiate"), (3, "NTLM"), (6, "Bearer")]
        self.init(status: status, schemes: names.filter { curlSchemes & 1 << $0.0 != 0 }.map(\.1))
    }

    package var code: RequestError.Code { status == 407 ? .proxyAuthenticationRequired : .proxyFailed }

    /// The problem, then what to do. It never contains a user or a password.
    package func detail(for address: ServerAddress, message: String) -> String {
        "\(sentence(for: "\(address.host), port \(address.port)")) (\(message))"
    }

    private func sentence(for server: String) -> String {
        switch status {
        case 407:
            let accepted = schemes.isEmpty ? "" : ", and accepts \(schemes.joined(separator: ", "))"
            return "the proxy requires a valid user and password (status 407\(accepted)): check those of the proxy"
        case 403, 405:
            return "the proxy forbids tunnels to \(server) (status \(status)): check the rules of the proxy"
        case 500...599:
            return "the proxy cannot reach \(server) (status \(status)): check that the server runs, then try again"
        default:
            return "the proxy refused a tunnel to \(server) (status \(status)): check the settings of the proxy"
        }
    }
}
