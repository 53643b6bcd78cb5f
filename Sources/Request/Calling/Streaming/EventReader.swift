/// Reads the events of a body, and of the bodies that follow it when the connection is lost.
///
/// Releasing it closes the connection.
final class EventReader {
    /// The response of the current connection, without its body.
    private(set) var response: HTTPResponse
    private let policy: EventStreamPolicy
    private let connection: EventConnection
    /// The right to read the first body. Releasing it closes the connection.
    private let claim: BodyStream.Reader
    /// The body of the call; nil for a body that no call has, which cannot reconnect.
    private let body: CallBody?
    private var parser: EventParser
    /// The connections in a row that have failed or brought no byte.
    private var failures = 0
    private var hasBytes = false
    private var isOver = false

    /// The outcome of an event.
    enum Element<Event> {
        case event(Event)
        /// The event is the end of the stream.
        case end
    }

    init(
        _ stream: BodyStream, _ response: HTTPResponse, _ policy: EventStreamPolicy,
        _ connection: EventConnection
    ) {
        self.response = response
        self.policy = policy
        self.connection = connection
        claim = stream.reader()
        body = claim.isOnly ? stream.source as? CallBody : nil
        // The request may have a field of its own.
        let sent = response.request?.headers["Last-Event-ID"] ?? ""
        let isOfThePolicy = sent.isEmpty || sent.hasSameBytes(as: LastEventID.field(policy.lastEventID) ?? "")
        parser = EventParser(limit: policy.eventLimit, lastEventID: isOfThePolicy ? policy.lastEventID : sent)
    }

    deinit {
        close()
    }

    /// Returns the result of a closure that gets the data, type and identifier of the next event; nil at the end.
    func next<Event>(
        _ make: (UnsafeRawBufferPointer, String, String) throws -> Element<Event>
    ) async throws -> Event? {
        while !isOver {
            do {
                switch try parser.next(make) {
                case .event(let event)?: return event
                case .end?:
                    body?.end()
                    isOver = true
                    close()
                    return nil
                case nil: break
                }
            } catch {
                let error = (error as? ElementExcess)?.error(response) ?? error
                throw fail(error)
            }
            try await readPortion()
        }
        return nil
    }

    private func readPortion() async throws {
        let portion: Data?
        do {
            if let body { portion = try await body.portion() } else { portion = try await claim.next() }
        } catch {
            return try await connectAgain(after: error)
        }
        guard let portion else { return try await connectAgain(after: nil) }
        failures = 0
        hasBytes = true
        parser.append(portion)
    }

    /// Reconnects, unless the stream has ended.
    private func connectAgain(after cause: (any Error)?) async throws {
        if response.status == .noContent { return end() }
        var cause = cause
        while true {
            if !hasBytes { failures += 1 }
            hasBytes = false
            let request = body?.core.exchanged.request
            if var error = cause as? RequestError, error.request == nil {
                error.request = request
                cause = error
            }
            let isStopped = body == nil || body?.core.bodyFailure != nil || body?.core.plan.isMessage == true
            let situation = EventStreamStep.Situation(
                error: cause,
                isRepeatable: !isStopped && request.map { $0.isIdempotent && $0.body.isReplayable } ?? false,
                failures: failures)
            guard let body, EventStreamStep.of(situation, policy) == .reconnect else {
                if let cause { throw fail(cause) }
                return end()
            }
            let configuration = body.core.plan.client.configuration
            let delay = policy.delay(
                failures: failures, retry: parser.retry,
                retryAfter: Self.retryAfter(cause, now: body.core.plan.client.wallTime.seconds),
                random: configuration.random())
            connection.become(.reconnecting(after: delay))
            do {
                response = try await body.reconnect(
                    lastEventID: LastEventID.field(parser.lastEventID), after: delay)
            } catch {
                cause = error
                continue
            }
            parser.restart()
            connection.become(.open)
            return
        }
    }

    /// Returns the wait for which a refused connection asks.
    private static func retryAfter(_ error: (any Error)?, now: Double) -> Duration? {
        RetryAfter.wait((error as? RequestError)?.response?.headers["Retry-After"], now: now)
    }

    private func end() {
        isOver = true
        body?.end()
        close()
    }

    private func fail(_ error: any Error) -> any Error {
        isOver = true
        let error = body?.ended(by: error) ?? error
        close()
        return error
    }

    @inline(never)
    private func close() {
        claim.end()
        connection.close()
    }
}
