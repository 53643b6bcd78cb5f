extension RequestError {
    /// The phase in which a request failed.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// The request is built. Nothing is sent.
        case prepare
        /// The connection is established.
        case connect
        /// The request is sent.
        case send
        /// The client waits for the head of the response.
        case wait
        /// The body of the response is received.
        case receive
        /// The complete response is validated and decoded.
        case decode
    }
}
