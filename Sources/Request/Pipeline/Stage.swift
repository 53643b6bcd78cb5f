/// A stage of the library in the pipeline: an interceptor that also says which work it has for a request.
///
/// The functions beside `intercept` only decide, from values and from what is in memory. ``Pipeline`` uses them to send
/// a request on the caller's thread when no stage has to run. They have to agree with `intercept`. A stage that says
/// ``StageShortcut/pass`` passes the prepared request on. A stage that accepts an outcome returns it as it is.
package protocol Stage: Interceptor {
    /// Makes the changes to the request that `intercept` makes before it passes the request on.
    ///
    /// A stage whose changes take time, or have an effect, leaves the request as it is and is ``StageShortcut/needed``.
    func prepare(_ request: inout HTTPRequest, for plan: CommonPlan)

    /// Returns the work that the stage has for a prepared request.
    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut

    /// Returns whether the stage accepts the outcome of a request for which it said ``StageShortcut/pass``.
    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool

    /// Returns what the stage adds to a request before it is sent, if that differs between users or between moments. Calls
    /// with different marks share no transfer. By default, the stage adds nothing of this kind.
    ///
    /// - Parameter request: Makes the request, which takes time.
    func mark(of request: () throws -> HTTPRequest, for plan: CommonPlan) throws -> SharingMark
}

extension Stage {
    package func prepare(_ request: inout HTTPRequest, for plan: CommonPlan) {}

    package func mark(of request: () throws -> HTTPRequest, for plan: CommonPlan) throws -> SharingMark { .none }
}

/// The addition of a stage to a request, as a part of the key of a shared transfer.
package enum SharingMark {
    /// The stage adds nothing, or the identity of the call stands for it.
    case none
    /// The stage adds this text.
    case text(String)
    /// It is not known before the request is sent, so the request is not shared.
    case unknown
}

/// The work that a stage has for a request.
package enum StageShortcut {
    /// No work, apart from preparing the request.
    case pass
    /// The stage has the response in memory.
    case answer(MemoryResponse)
    /// No work, apart from sending this request instead.
    case change(HTTPRequest)
    /// `intercept` has to run.
    case needed
}

/// A fresh response in memory, with the output that was made of it before.
package struct MemoryResponse {
    let response: HTTPResponse
    let explanation: CacheExplanation
    let output: AnyOutput
    let key: CacheKey
}

/// Lets the part of a call make its attempts.
struct PartStage: Stage {
    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut {
        plan.feature == nil ? .pass : .needed
    }

    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool { true }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        guard let part = context.core.part else { return try await next(request) }
        return try await part.attempt(request, context: context, next: next)
    }
}
