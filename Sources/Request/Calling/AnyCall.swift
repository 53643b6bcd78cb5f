/// One run of a request, without the type of its output. It can be listed, followed and cancelled.
///
/// Safe from any thread.
public class AnyCall: @unchecked Sendable, Identifiable {
    // Unchecked: it and its subclass are constant.

    package let core: CallCore

    init(_ core: CallCore) {
        self.core = core
    }

    /// A number that is unique within the process.
    public var id: UInt64 { core.id }

    /// The ``Request/identifier`` of the request; by default its method and path.
    public var name: String { core.plan.name }

    /// The tags of the request at the start of the call: see ``Client/cancelAll(tagged:)``.
    public var tags: Set<String> { core.plan.tags }

    /// The client that sends the request.
    public var client: Client { core.plan.client }

    /// The current state.
    public var state: CallState { core.phase }

    /// The current state, and each state that follows, to the last.
    public var states: AsyncStream<CallState> { core.states }

    /// The bytes sent and received: the current progress, and each that follows, until the end of the call.
    public var progress: AsyncStream<CallProgress> { core.followProgress() }

    /// The response as it arrived; nil before that. A call that failed because of its response has it too.
    public var response: HTTPResponse? { core.response }

    /// The exchanges of the call with servers, in the order in which they began: none for a response from the cache, and
    /// several if a request was sent again.
    ///
    /// A background refresh that the call has caused is added after the call has ended. An ``EventStream`` that reconnects
    /// has its first attempt and the newest ones, a hundred in all. Their numbers count all attempts.
    public var attempts: [Attempt] { core.attempts }

    /// The times and sizes of the last attempt. All times of a cached response are nil.
    public var metrics: AttemptMetrics? { core.response?.metrics ?? core.attempts.last?.metrics }

    /// The decisions of the call about the cache, shared transfers, waits, redirects and retries, with their reasons; nil
    /// if there is nothing to explain.
    public var explanation: CallExplanation? {
        CallExplanation(
            core.explanation, core.attempts, waited: core.waitedTime, joined: core.joinedCall,
            isFailure: state == .finished(.failure))
    }

    /// The order in which the call is sent if it waits for the ``Limiter`` of its client. It can be changed meanwhile.
    public var priority: CallPriority {
        get { core.priority }
        set { core.setPriority(newValue) }
    }

    /// Values of the application that belong to this call.
    public var userInfo: CallInfo { CallInfo(core: core) }

    /// Ends the call: its promise is cancelled, and its callbacks do not run. Over HTTP/1.1 its connection is closed, over
    /// HTTP/2 its stream is reset.
    ///
    /// A call that has finished keeps its state and its output. Only callbacks that have not run yet are stopped, so
    /// that none runs after this function.
    public func cancel() {
        core.cancel()
        core.stopCallbacks()
    }

    /// Releases the callbacks of the call. The call goes on, and releasing it does not cancel it.
    public func detach() {
        core.detach()
    }

    /// A Boolean value that indicates whether the call has ended.
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

extension AnyCall {
    /// The `curl` command that sends the newest request of the call, for a shell. Secrets are replaced by an ellipsis.
    public var curlCommand: String? { curlCommand(showingSecrets: false) }

    /// Returns the `curl` command that sends the newest request of the call, for a shell; nil if the request could not be
    /// made: see ``HTTPRequest/curlCommand(showingSecrets:)``.
    ///
    /// - Parameter showingSecrets: A Boolean value that indicates whether the command contains credentials.
    public func curlCommand(showingSecrets: Bool) -> String? {
        core.newestRequest?.curlCommand(showingSecrets: showingSecrets)
    }
}
