extension RequestError {
    /// How far a request had come when something went wrong.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// It was put together; nothing was sent.
        case prepare
        /// A connection was wanted.
        case connect
        /// It was sent.
        case send
        /// The head of the response was awaited.
        case wait
        /// The body was received.
        case receive
        /// The response was there; it was checked, and something was made of it.
        case decode
    }
}
