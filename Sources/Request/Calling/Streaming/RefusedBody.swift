/// The check of a streamed response before it is delivered.
extension CommonPlan {
    /// Returns a streamed response that the call accepts. A refused one is thrown, with the beginning of its body.
    func admitted(_ response: HTTPResponse) async throws -> HTTPResponse {
        guard self.delivery == .stream, !isMessage else { return response }
        var response = response
        // A short body may have arrived with its head. The call ends when it is read, as with any other.
        if !response.isStreaming, !response.isBodiless { response.stream = BodyStream(response.body) }
        let context = SerializationContext(json: client.configuration.json)
        do {
            try self.validation.check(response, context: context)
            return response
        } catch {
            let refused = await RefusedBody.collected(
                response, within: self.timeouts.idle ?? client.configuration.timeouts.idle,
                on: client.configuration.clock)
            try Task.checkCancellation()
            throw refined(error, refused, context)
        }
    }

    /// Returns the error of a refused response with its body. Rules that read the body may have a more exact error.
    private func refined(_ error: any Error, _ response: HTTPResponse, _ context: SerializationContext) -> any Error {
        var refusal = error
        do { try self.validation.check(response, context: context) } catch { refusal = error }
        guard var error = refusal as? RequestError else { return refusal }
        error.response = response
        return self.errorSerializer?.refine(error, context: context) ?? error
    }
}

/// The body of a streamed response that was refused.
enum RefusedBody {
    /// The highest number of bytes that are read.
    static let limit = 64 * 1024

    /// Returns whether a body is read for the error. The body of a success, such as an endless one of another type, is read
    /// only if it is known to be short.
    static func isRead(_ status: HTTPStatus, length: Int?) -> Bool {
        if let length { return length <= limit || !status.isSuccess }
        return !status.isSuccess
    }

    /// Returns a response whose body has been read up to the limit.
    ///
    /// - Parameter time: The longest time for the whole body; nil for no limit. A server that sends byte by byte would keep
    ///   within the idle time for hours.
    static func collected(
        _ response: HTTPResponse, within time: Duration?, on clock: some Clock<Duration>
    ) async -> HTTPResponse {
        let stream = response.stream
        let alarm = Alarm(after: time.map { max($0, .zero) }, on: clock) { stream.cancel() }
        defer {
            alarm.cancel()
            stream.cancel()
        }
        var collected = response.head
        let length = response.headers["Content-Length"].flatMap { Int($0) }
        guard isRead(response.status, length: length) else { return collected }
        let reader = stream.reader()
        var body = Data()
        while body.count < limit, let portion = try? await reader.next() {
            body.append(portion.prefix(limit - body.count))
        }
        collected.body = body
        if let ending = stream.ending {
            collected.trailers = ending.trailers
            collected.metrics = ending.metrics
        }
        return collected
    }
}
