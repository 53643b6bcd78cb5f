extension Transport {
    /// A Boolean value that indicates whether all connections go to one Unix socket, whatever the host of the URL.
    var usesSocket: Bool {
        #if os(Linux)
            (self as? CurlTransport)?.configuration.unixSocket != nil
        #else
            false
        #endif
    }
}
