import TangoPromise

/// The connections of a streamed call after the first one.
///
/// They belong to the same call: each is an attempt in its log, with the cause ``Attempt/Cause/reconnection``.
extension CallCore {
    /// Sends the request of the run again after a wait, through the whole pipeline. Returns a response that the call accepts.
    ///
    /// - Parameter headers: Fields that replace those of the request.
    func reconnect(_ headers: Headers, after delay: Duration) async throws -> HTTPResponse {
        let task = Task { try await connectAgain(headers, after: delay) }
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

    private func connectAgain(_ headers: Headers, after delay: Duration) async throws -> HTTPResponse {
        var request = try exchanged.request ?? plan.message()
        for field in headers { request.headers.set(name: field.name, value: field.value) }
        become(.retrying(attempt: attempts.count + 1, after: delay))
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
