/// The features of a transport.
public struct TransportCapabilities: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `https` URLs.
    public static let tls = TransportCapabilities(rawValue: 1 << 0)
    /// All custom rules of ``ServerTrust``.
    public static let customTrust: TransportCapabilities = [
        .pins, .authorities, .clientCertificates, .minimumTLS, .certificateNames, .developmentHosts,
    ]
    /// ``ServerTrust/pins(_:backups:)``.
    public static let pins = TransportCapabilities(rawValue: 1 << 1)
    /// HTTP/2, if the server supports it.
    public static let http2 = TransportCapabilities(rawValue: 1 << 2)
    /// Back-pressure for responses: a slow reader slows the server down.
    public static let responseBackPressure = TransportCapabilities(rawValue: 1 << 3)
    /// Back-pressure for request bodies: a slow server slows the reading of the body down.
    public static let requestBackPressure = TransportCapabilities(rawValue: 1 << 4)
    /// Trailers: fields after the body of a response.
    public static let trailers = TransportCapabilities(rawValue: 1 << 5)
    /// Interim responses, 1xx.
    public static let informationalResponses = TransportCapabilities(rawValue: 1 << 6)
    /// Fields are sent and received in order, with duplicates and in their original case.
    public static let exactHeaders = TransportCapabilities(rawValue: 1 << 7)
    /// A body in a `GET` request.
    public static let getBodies = TransportCapabilities(rawValue: 1 << 8)
    /// ``AttemptMetrics`` with all phases.
    public static let phaseMetrics = TransportCapabilities(rawValue: 1 << 9)
    /// Bodies are decoded or left as they are, as ``TransportOptions/decompression`` requires.
    public static let decompressionControl = TransportCapabilities(rawValue: 1 << 10)
    /// ``ServerTrust/authorities(_:besidesSystem:)``.
    public static let authorities = TransportCapabilities(rawValue: 1 << 11)
    /// Client certificates.
    public static let clientCertificates = TransportCapabilities(rawValue: 1 << 12)
    /// ``ServerTrust/minimumTLS(_:)``, above TLS 1.2.
    public static let minimumTLS = TransportCapabilities(rawValue: 1 << 13)
    /// ``ServerTrust/certificateName(_:)``.
    public static let certificateNames = TransportCapabilities(rawValue: 1 << 14)
    /// ``ServerTrust/developmentHost(_:)``.
    public static let developmentHosts = TransportCapabilities(rawValue: 1 << 15)
    /// HTTP/3, if the server supports it.
    public static let http3 = TransportCapabilities(rawValue: 1 << 16)
}

extension TransportCapabilities {
    /// Returns the error of a request that this transport cannot send, or nil.
    ///
    /// A transport calls it before anything is sent, so that all transports refuse the same requests with the same
    /// errors.
    public func refusal(of request: HTTPRequest, options: TransportOptions) -> RequestError? {
        do throws(RequestError) {
            _ = try server(of: request, options: options)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the server of a request that this transport can send. Throws the error of any other: see
    /// ``refusal(of:options:)``.
    package func server(of request: HTTPRequest, options: TransportOptions) throws(RequestError) -> ServerAddress {
        @inline(never)
        func refusal(_ code: RequestError.Code, _ detail: String) -> RequestError {
            RequestError(code, phase: .prepare, detail: detail, request: request)
        }
        guard request.method.isValid else {
            throw refusal(
                .badMethod,
                "the method \(request.method.rawValue.debugDescription) is invalid: use letters only, as in GET")
        }
        if let problem = request.headers.firstProblem { throw refusal(.badHeader, problem.description) }
        if let type = request.body.contentType, let problem = (["Content-Type": type] as Headers).firstProblem {
            throw refusal(.badHeader, problem.description)
        }
        if let problem = options.delivery.problem ?? options.decompression?.problem {
            throw refusal(.badPolicy, problem)
        }
        if let problem = options.trust.problem { throw refusal(.badTrust, problem) }
        let address = try ServerAddress(of: request)
        let rules = options.trust == .system ? .system : options.trust.rules(for: address.host)
        if address.isSecure {
            guard contains(.tls) else {
                throw refusal(
                    .unsupported, "this transport does not support https: use an http URL, or another transport")
            }
            guard isSuperset(of: rules.needs) else {
                throw refusal(
                    .unsupported,
                    "this transport does not support the rule \(rules.needs.subtracting(self).trustRules): remove it, or use "
                        + "another transport")
            }
        } else if let rule = rules.secret {
            throw refusal(.badTrust, "an http URL cannot meet the rule \(rule): use an https URL")
        }
        if let (code, detail) = options.timeouts.refusal { throw refusal(code, detail) }
        if let length = request.body.knownLength, length < 0 {
            throw refusal(.badBody, "the length of the body, \(length), is negative: correct it, or omit it")
        }
        if case .none = request.body.content { return address }
        switch request.method {
        case .head:
            throw refusal(.unsupported, "a HEAD request cannot have a body: remove the body, or use another method")
        case .trace:
            throw refusal(.unsupported, "a TRACE request cannot have a body: remove the body, or use another method")
        case .get where !contains(.getBodies):
            throw refusal(
                .unsupported,
                "this transport cannot send a body in a GET request: remove the body, or use another method")
        default: return address
        }
    }
}

extension ServerTrust.Rules {
    /// The rule that forbids sending to the host without TLS, such as pins or a client certificate. It is nil without
    /// such a rule.
    fileprivate var secret: String? {
        var rules = self
        rules.reporters = []
        let secrets = rules.needs.intersection([.pins, .clientCertificates])
        return secrets.isEmpty ? nil : secrets.trustRules
    }
}

extension TransportCapabilities {
    /// The names of the contained rules of ``ServerTrust``.
    fileprivate var trustRules: String {
        let names: [(TransportCapabilities, String)] = [
            (.pins, "pins"), (.authorities, "authorities"), (.clientCertificates, "clientCertificate"),
            (.minimumTLS, "minimumTLS"), (.certificateNames, "certificateName"), (.developmentHosts, "developmentHost"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

extension TransportCapabilities: CustomStringConvertible {
    private static let names: [(TransportCapabilities, String)] = [
        (.tls, "tls"), (.pins, "pins"), (.http2, "http2"), (.responseBackPressure, "responseBackPressure"),
        (.requestBackPressure, "requestBackPressure"), (.trailers, "trailers"),
        (.informationalResponses, "informationalResponses"), (.exactHeaders, "exactHeaders"),
        (.getBodies, "getBodies"), (.phaseMetrics, "phaseMetrics"), (.decompressionControl, "decompressionControl"),
        (.authorities, "authorities"), (.clientCertificates, "clientCertificates"), (.minimumTLS, "minimumTLS"),
        (.certificateNames, "certificateNames"), (.developmentHosts, "developmentHosts"), (.http3, "http3"),
    ]

    /// The names of the features.
    public var description: String {
        "[\(Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", "))]"
    }
}
