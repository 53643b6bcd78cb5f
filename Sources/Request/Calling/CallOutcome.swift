/// The outcome of a call, as its run sees it. It takes what the run delivers, and never calls the run.
protocol CallOutcome: AnyObject, Sendable {
    /// A Boolean value that indicates whether an output was delivered and a newer one is on its way.
    var isRefreshing: Bool { get }

    /// Delivers an output while the run goes on. Returns false if the outcome is settled.
    func deliver(_ output: AnyOutput) -> Bool

    /// Delivers the output of a response whose body is still arriving.
    func deliverStreaming(_ output: AnyOutput)

    /// Delivers the end of the run. Called once.
    func settle(_ ending: Ending)

    /// Releases a streamed output, which only its reader holds from now on.
    func releaseStream()

    /// Releases callbacks that will not run any more.
    func forgetCallbacks()
}

/// The end of a run.
enum Ending: Sendable {
    /// An output. If it is unchanged, an equal one was delivered before.
    case output(AnyOutput, isUnchanged: Bool)
    case error(any Error)
    /// The end of a streamed body, whose response was delivered before.
    case endOfBody
}
