import TangoCache

/// A stage of the library in the pipeline: an interceptor that also says what it has to do with a request.
///
/// The functions beside `intercept` decide only, from values and from what is in memory. ``Pipeline`` reads them to send a
/// request on the caller's thread when no stage has to run. They have to agree with `intercept`: a stage that says ``pass``
/// passes the prepared request on, and a stage that accepts an outcome returns it as it is.
protocol Stage: Interceptor {
    /// Makes the changes to the request that `intercept` makes before it passes the request on.
    ///
    /// A stage whose changes take time, or have an effect, leaves the request as it is and is ``StageShortcut/needed``.
    func prepare(_ request: inout HTTPRequest, for plan: CommonPlan)

    /// Returns what the stage has to do with a prepared request.
    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut

    /// Returns whether the stage has nothing to do with the outcome of a request for which it said ``StageShortcut/pass``.
    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool
}

extension Stage {
    func prepare(_ request: inout HTTPRequest, for plan: CommonPlan) {}
}

/// What a stage has to do with a request.
enum StageShortcut {
    /// Nothing, apart from preparing it.
    case pass
    /// The stage has the response in memory.
    case answer(MemoryResponse)
    /// `intercept` has to run.
    case needed
}

/// A fresh response in memory, with the output that was made of it before.
struct MemoryResponse {
    let response: HTTPResponse
    let explanation: CacheExplanation
    let output: AnyOutput
    let key: CacheKey
}
