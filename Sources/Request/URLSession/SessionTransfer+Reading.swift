import Foundation

/// The side of the caller.
extension SessionTransfer {
    /// Returns the response once its head or its end is there, or throws the error of the request.
    func response() throws -> HTTPResponse {
        let isStream = options.delivery == .stream
        let (head, ending, metrics) = state.withLock { ($0.head, $0.ending, $0.metrics) }
        guard let head else {
            if case .failure(let error) = ending { throw error }
            throw CancellationError()
        }
        var response = HTTPResponse(
            status: HTTPStatus(head.status), headers: head.decoded.headers, request: request, metrics: metrics)
        switch ending {
        case .success?:
            response.body = takeBody()
            return response
        case .failure(var error)? where !isStream:
            response.body = takeBody()
            error.request = request
            error.response = response
            throw error
        case .cancelled?: throw CancellationError()
        case .failure, nil:
            response.stream = BodyStream(SessionBody(self))
            return response
        }
    }

    /// All of the body, when it is there.
    private func takeBody() -> Data {
        state.withLock { state in
            guard options.delivery == .stream else { return state.whole }
            defer { state.portions = [] }
            var all = Data(capacity: state.unread)
            for portion in state.portions { all.append(portion) }
            return all
        }
    }

    /// The next portion of the body.
    fileprivate func portion() async throws -> Data? {
        try await withCancellation {
            while true {
                let (step, makesRoom) = state.withLock { $0.step(below: buffer / 2) }
                if makesRoom { release() }
                switch step {
                case .portion(let portion): return portion
                case .end(.success): return nil
                case .end(.failure(var error)):
                    error.request = request
                    throw error
                case .end(.cancelled): throw CancellationError()
                case .wait:
                    await withUnsafeContinuation { continuation in
                        let isThere = state.withLock { state in
                            if !state.portions.isEmpty || state.ending != nil { return true }
                            state.waiter = .portion(continuation)
                            return false
                        }
                        if isThere { continuation.resume() }
                    }
                }
            }
        } onCancel: {
            leave()
        }
    }

    fileprivate var bodyEnding: BodyStream.Ending? {
        state.withLock { state in
            guard case .success = state.ending, state.portions.isEmpty else { return nil }
            return BodyStream.Ending(metrics: state.metrics)
        }
    }
}

/// The body of a response, in the hands of its reader. When it goes, the transfer is left.
private final class SessionBody: BodySource {
    private let transfer: SessionTransfer

    init(_ transfer: SessionTransfer) {
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
