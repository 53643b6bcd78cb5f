extension TransportCapabilities {
    /// The features of a ``URLSessionTransport`` on Apple platforms. The system always requests a certificate for the
    /// host of the URL, and does not support trailers.
    static let sessionOnApple: TransportCapabilities = [
        .tls, .pins, .authorities, .clientCertificates, .minimumTLS, .developmentHosts, .http2, .responseBackPressure,
        .requestBackPressure, .informationalResponses, .phaseMetrics,
    ]

    /// The features on Linux, where only the certificates of the system are supported.
    static let sessionOnLinux: TransportCapabilities = [.tls, .http2, .informationalResponses]
}
