import TangoPromise

/// One run of a request, whatever its output is: what can be listed, followed and cancelled.
///
/// Safe from any thread.
public class AnyCall: @unchecked Sendable, Identifiable {
    // Unchecked: it and its subclass have nothing that changes.

    let core: CallCore

    init(_ core: CallCore) {
        self.core = core
    }

    /// A number of its own within the process.
    public var id: UInt64 { core.id }

    /// What the request calls itself; by default its method and path.
    public var name: String { core.plan.name }

    /// The tags of its request, as they were when it began: see ``Client/cancelAll(tagged:)``.
    public var tags: Set<String> { core.plan.tags }

    /// The client that carries it out.
    public var client: Client { core.plan.client }

    /// How far it has come, at this moment.
    public var state: CallState { core.phase }

    /// The state now, and each that follows, to the last.
    public var states: AsyncStream<CallState> { core.states }

    /// What has been sent and received. Begins with what is known, and ends with the call.
    public var progress: AsyncStream<CallProgress> { core.followProgress() }

    /// The response, as it came, once it is there: also that of a call which failed because of it.
    public var response: HTTPResponse? { core.response }

    /// The exchanges of the call with servers, in the order in which they began: none for a response from the cache, and
    /// several if a request was sent again.
    ///
    /// A background refresh that the call has caused is added after the call has ended.
    public var attempts: [Attempt] { core.attempts }

    /// What the last attempt took. That of a response from the cache has no times: all are nil.
    public var metrics: AttemptMetrics? { core.response?.metrics ?? core.attempts.last?.metrics }

    /// Why the call was answered as it was, from the HTTP cache or by the server; nil where that cache had no
    /// part in it.
    public var explanation: CacheExplanation? { core.explanation }

    /// Something of the application's own that belongs to this call.
    public var userInfo: CallInfo { CallInfo(core: core) }

    /// Ends the call: its promise is cancelled, and no callback runs any more. Over HTTP/1.1 its connection is closed, over
    /// HTTP/2 its stream is reset.
    public func cancel() {
        core.cancel()
    }

    /// Lets the call go on for nobody: no callback runs, and releasing it does not cancel it.
    public func detach() {
        core.detach()
    }

    /// Whether it has ended, in whatever way.
    public var isFinished: Bool { state.isFinished }
}

extension AnyCall: CustomStringConvertible {
    /// Such as `call 7, GET /users/1, running`.
    public var description: String {
        "call \(id), \(name), \(state)"
    }
}

extension AnyCall: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["call": description]) }
}
