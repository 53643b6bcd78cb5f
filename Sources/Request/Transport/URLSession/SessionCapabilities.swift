extension TransportCapabilities {
    /// What a ``URLSessionTransport`` can do on Apple platforms. The system asks servers for the host of the URL, whatever
    /// name their certificate is to be for, and knows no trailers.
    static let sessionOnApple: TransportCapabilities = [
        .tls, .pins, .authorities, .clientCertificates, .minimumTLS, .developmentHosts, .http2, .responseBackPressure,
        .requestBackPressure, .informationalResponses, .phaseMetrics,
    ]

    /// What it can do on Linux, where the system's certificates are all that it knows.
    static let sessionOnLinux: TransportCapabilities = [.tls, .http2, .informationalResponses]
}
