/// What a request passes on its way to the network, in order, and its response on its way back.
struct Pipeline: Sendable {
    private let stages: [any Interceptor]
    let transport: any Transport
    /// Whether nothing but the HTTP cache stands before the transport.
    let isBare: Bool

    /// The one place that says what comes where, and why there.
    init(
        transport: any Transport, interceptors: [any Interceptor], httpCache: HTTPCacheInterceptor?,
        attemptInterceptors: [any Interceptor]
    ) {
        // The user's come first: they see each call once, as it was declared, and its final response; and once more where
        // somebody looks for what the HTTP cache keeps.
        var stages = interceptors
        // Before everything that costs time: an answer that is kept needs no token, no attempt, and no connection.
        if let httpCache { stages.append(httpCache) }
        // These see each attempt, as it is sent, and each response, as it came.
        stages += attemptInterceptors
        self.stages = stages
        self.transport = transport
        isBare = interceptors.isEmpty && attemptInterceptors.isEmpty
    }

    func run(_ request: HTTPRequest, context: CallContext, from place: Int = 0) async throws -> HTTPResponse {
        guard place < stages.count else { return try await send(request, context: context) }
        let next = Next(context: context, pipeline: self, place: place + 1)
        return try await stages[place].intercept(request, context: context, next: next)
    }

    private func send(_ request: HTTPRequest, context: CallContext) async throws -> HTTPResponse {
        // An interceptor may have gone on although its call was cancelled.
        try Task.checkCancellation()
        let core = context.core
        core.noteSent([request])
        core.tell(.sending(request))
        await core.deliverEvents()
        try Task.checkCancellation()
        let response = try await transport.send(request, options: context.options)
        core.received(response)
        await core.deliverEvents()
        return response
    }
}
