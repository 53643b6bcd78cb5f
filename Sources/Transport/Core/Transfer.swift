/// One request and its response, transmitted by the library below a transport.
///
/// The transport fills the ``TransferFeed`` of the transfer. The receiver takes the response and the body from there.
package protocol Transfer: AnyObject, Sendable {
    var request: HTTPRequest { get }
    var options: TransportOptions { get }
    /// The number of unread bytes at or below which the server may continue.
    var roomMark: Int { get }
    /// The body of a response that is delivered as a whole.
    var wholeBody: Data { get }
    /// The trailers and metrics received so far.
    var measured: BodyStream.Ending { get }

    /// Accesses the feed under the lock of the transfer.
    func withFeed<Result: Sendable>(_ access: (inout TransferFeed) -> Result) -> Result
    /// Returns the response without its body.
    func head() throws -> HTTPResponse
    /// Lets the server continue after the reader has made room.
    func release()
    /// Ends the transfer, because the receiver does not need it any more.
    func leave()
}

extension Transfer {
    /// Returns the response once its head or its end is there, or throws the error of the request.
    func response() throws -> HTTPResponse {
        let (hasHead, ending) = withFeed { ($0.hasHead, $0.ending) }
        guard hasHead else {
            if case .failure(let error) = ending { throw complete(error, measured.metrics) }
            throw CancellationError()
        }
        var response = try head()
        let isStream = options.delivery == .stream
        let measured = measured
        response.metrics = measured.metrics
        switch ending {
        case .success:
            response.body = isStream ? withFeed { $0.takeAll() } : wholeBody
            response.trailers = measured.trailers
            return response
        case .failure(var error) where !isStream:
            response.body = wholeBody
            error.request = request
            error.response = response
            throw complete(error, measured.metrics)
        case .cancelled: throw CancellationError()
        case .failure, nil:
            response.stream = BodyStream(TransferBody(self))
            return response
        }
    }

    /// Returns an error with its request, and with the metrics of a transfer that has begun.
    private func complete(_ error: RequestError, _ metrics: AttemptMetrics) -> RequestError {
        var error = error.with(request)
        if metrics.finished != nil { error.metrics = metrics }
        return error
    }

    /// Returns the next portion of the body, or nil at its end.
    func portion() async throws -> Data? {
        try await withCancellation {
            while true {
                let (step, makesRoom) = withFeed { $0.step(below: roomMark) }
                if makesRoom { release() }
                switch step {
                case .portion(let portion): return portion
                case .end(.success): return nil
                case .end(.failure(let error)): throw complete(error, measured.metrics)
                case .end(.cancelled): throw CancellationError()
                case .wait: await nextPortion()
                }
            }
        } onCancel: {
            leave()
        }
    }

    private func nextPortion() async {
        await withUnsafeContinuation { continuation in
            let isThere = withFeed { feed in
                if feed.isReadable { return true }
                feed.waiter = .portion(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// The trailers and metrics, once the last portion has been read.
    var bodyEnding: BodyStream.Ending? {
        let isOver = withFeed { feed in
            if case .success = feed.ending { feed.portions.isEmpty } else { false }
        }
        return isOver ? measured : nil
    }
}

/// The body of a response for its reader. Releasing it ends the transfer.
private final class TransferBody<Carrier: Transfer>: BodySource {
    private let transfer: Carrier

    init(_ transfer: Carrier) {
        self.transfer = transfer
    }

    deinit {
        transfer.leave()
    }

    func next() async throws -> Data? {
        try await transfer.portion()
    }

    func cancel() {
        transfer.leave()
    }

    var ending: BodyStream.Ending? { transfer.bodyEnding }
}
