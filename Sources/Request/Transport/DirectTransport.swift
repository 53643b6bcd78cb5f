/// A transport that tells of a response rather than have a task wait for it.
///
/// Calls that nobody has a hand in go this way: it takes no task, and one change of threads less.
protocol DirectTransport: Transport {
    /// Prepares what has yet to be started. What cannot be carried is refused here.
    func exchange(_ request: HTTPRequest, options: TransportOptions, for call: CallCore) throws -> any Exchange
}

/// A request that is under way, and its response. Its call hears of it by ``CallCore/completeExchange(_:)`` once, on another thread.
protocol Exchange: AnyObject, Sendable {
    var request: HTTPRequest { get }
    func start()
    /// Nobody waits for it any more.
    func leave()
}
