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

extension Decompression: CustomStringConvertible {
    /// Such as `up to 200 times the received bytes above 4194304 bytes`.
    public var description: String {
        "up to \(ratio) times the received bytes above \(allowance) bytes" + (limit.map { ", at most \($0)" } ?? "")
    }
}

extension TransportOptions.Delivery: CustomStringConvertible {
    /// Such as `the whole body, up to 1024 bytes`.
    public var description: String {
        switch self {
        case .stream: "a streamed body"
        case .whole(let limit): "the whole body" + (limit.map { ", up to \($0) bytes" } ?? "")
        }
    }
}

extension TransportOptions: CustomStringConvertible {
    /// The time limits and the delivery.
    public var description: String {
        "\(timeouts); \(delivery)\(needsNewConnection ? "; on a new connection" : "")"
    }
}

extension MockResponse: CustomStringConvertible {
    /// Such as `status 503, after 2 s`, without headers and body.
    public var description: String {
        let text =
            switch content {
            case .message(let response), .value(_, let response), .file(_, let response):
                "status \(changed(response).status)"
            case .portions(let head, let portions, _, let code):
                "status \(changed(head).status) in \(portions.count) portions" + (code.map { ", then \($0)" } ?? "")
            case .failure(let code): "\(code)"
            case .never: "never"
            case .made: "made of the request"
            }
        return delay > .zero ? "\(text), after \(delay.text)" : text
    }
}
