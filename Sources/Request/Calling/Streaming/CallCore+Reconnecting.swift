/// The connections of a streamed call after the first one.
///
/// They belong to the same call: each is an attempt in its log, with the cause ``Attempt/Cause/reconnection``.
extension CallCore {
    /// Sends the request of the run again after a wait, through the whole pipeline. Returns a response that the call accepts.
    ///
    /// - Parameter lastEventID: The value of the `Last-Event-ID`; nil to send none.
    func reconnect(lastEventID: String?, after delay: Duration) async throws -> HTTPResponse {
        let task = Task { try await connectAgain(lastEventID, after: delay) }
        guard carry(by: .reconnection(task)) else { throw bodyFailure ?? CancellationError() }
        let response = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            self.end(CancellationError(), as: .cancelled)
        }
        guard keep(response.head), carry(by: .body(response.stream)) else {
            response.stream.cancel()
            throw bodyFailure ?? CancellationError()
        }
        return response
    }

    private func connectAgain(_ lastEventID: String?, after delay: Duration) async throws -> HTTPResponse {
        var request = try exchanged.request ?? plan.message()
        request.headers["Last-Event-ID"] = lastEventID
        become(.retrying(attempt: attempts.newestNumber + 1, after: delay))
        tell(.following(.reconnection, request, after: delay))
        await deliverEvents()
        if delay > .zero { try await plan.client.configuration.clock.wait(for: delay) }
        try Task.checkCancellation()
        become(.running)
        var context = CallContext(core: self, options: options, firstOutcome: nil)
        context.cause = .reconnection
        let response = try await plan.client.pipeline.run(request, context: context)
        return try await admitted(response)
    }
}
