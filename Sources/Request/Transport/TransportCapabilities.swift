/// What a transport can do.
public struct TransportCapabilities: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `https` URLs.
    public static let tls = TransportCapabilities(rawValue: 1 << 0)
    /// All rules of one's own for whom to trust.
    public static let customTrust: TransportCapabilities = [
        .pins, .authorities, .clientCertificates, .minimumTLS, .certificateNames, .developmentHosts,
    ]
    /// ``ServerTrust/pins(_:backups:)``.
    public static let pins = TransportCapabilities(rawValue: 1 << 1)
    /// HTTP/2, where the server has it.
    public static let http2 = TransportCapabilities(rawValue: 1 << 2)
    /// A slow reader of a response slows the server down.
    public static let responseBackPressure = TransportCapabilities(rawValue: 1 << 3)
    /// A slow server slows the reading of a request's body down.
    public static let requestBackPressure = TransportCapabilities(rawValue: 1 << 4)
    /// Fields behind the body of a response.
    public static let trailers = TransportCapabilities(rawValue: 1 << 5)
    /// Interim responses, 1xx.
    public static let informationalResponses = TransportCapabilities(rawValue: 1 << 6)
    /// Fields are sent and received in order, with duplicates, in their case.
    public static let exactHeaders = TransportCapabilities(rawValue: 1 << 7)
    /// A body in a `GET` request.
    public static let getBodies = TransportCapabilities(rawValue: 1 << 8)
    /// ``AttemptMetrics`` with each phase.
    public static let phaseMetrics = TransportCapabilities(rawValue: 1 << 9)
    /// Bodies are decoded or left as they are, as ``TransportOptions/decompression`` says.
    public static let decompressionControl = TransportCapabilities(rawValue: 1 << 10)
    /// ``ServerTrust/authorities(_:besidesSystem:)``.
    public static let authorities = TransportCapabilities(rawValue: 1 << 11)
    /// Certificates of the client.
    public static let clientCertificates = TransportCapabilities(rawValue: 1 << 12)
    /// ``ServerTrust/minimumTLS(_:)``, above TLS 1.2.
    public static let minimumTLS = TransportCapabilities(rawValue: 1 << 13)
    /// ``ServerTrust/certificateName(_:)``.
    public static let certificateNames = TransportCapabilities(rawValue: 1 << 14)
    /// ``ServerTrust/developmentHost(_:)``.
    public static let developmentHosts = TransportCapabilities(rawValue: 1 << 15)
}

extension TransportCapabilities {
    /// Why a request cannot be carried; nil where it can.
    ///
    /// Transports call it before anything is sent, so that each refuses the same things in the same words.
    public func refusal(of request: HTTPRequest, options: TransportOptions) -> RequestError? {
        func refuse(_ code: RequestError.Code, _ detail: String) -> RequestError {
            RequestError(code, phase: .prepare, detail: detail, request: request)
        }
        guard request.method.isValid else {
            return refuse(.badMethod, "the method \(request.method.rawValue.debugDescription) is not a token")
        }
        if let problem = request.headers.firstProblem { return refuse(.badHeader, problem.description) }
        if let type = request.body.contentType, let problem = (["Content-Type": type] as Headers).firstProblem {
            return refuse(.badHeader, problem.description)
        }
        if let problem = options.trust.problem { return refuse(.badTrust, problem) }
        let address: ServerAddress
        do throws(ServerAddress.Problem) {
            address = try ServerAddress(request.url)
        } catch {
            return refuse(.badURL, error.text)
        }
        let rules = options.trust == .system ? .system : options.trust.rules(for: address.host)
        if address.isSecure {
            guard contains(.tls) else { return refuse(.unsupported, "this transport has no TLS: use an http URL") }
            guard isSuperset(of: rules.needs) else {
                return refuse(
                    .unsupported, "this transport cannot keep the rule \(rules.needs.subtracting(self).trustRules)")
            }
        } else if let rule = rules.secret {
            return refuse(.badTrust, "nothing in an http URL keeps the rule \(rule): use an https URL")
        }
        if let (code, detail) = options.timeouts.refusal { return refuse(code, detail) }
        if case .none = request.body.content { return nil }
        switch request.method {
        case .head: return refuse(.unsupported, "a HEAD request cannot have a body")
        case .trace: return refuse(.unsupported, "a TRACE request cannot have a body")
        case .get where !contains(.getBodies):
            return refuse(.unsupported, "this transport cannot send a body in a GET request")
        default: return nil
        }
    }
}

extension ServerTrust.Rules {
    /// The rule that says that what goes to the host is not for everyone, if there is one: it is not sent in clear.
    fileprivate var secret: String? {
        let secrets = needs.intersection([.pins, .clientCertificates])
        return secrets.isEmpty ? nil : secrets.trustRules
    }
}

extension TransportCapabilities {
    /// The rules of ``ServerTrust`` among them, by their names.
    fileprivate var trustRules: String {
        let names: [(TransportCapabilities, String)] = [
            (.pins, "pins"), (.authorities, "authorities"), (.clientCertificates, "clientCertificate"),
            (.minimumTLS, "minimumTLS"), (.certificateNames, "certificateName"), (.developmentHosts, "developmentHost"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
