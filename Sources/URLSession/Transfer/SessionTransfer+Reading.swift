#if canImport(Darwin) || URLSessionOnLinux
    /// The response and the body of a transfer, for the receiver.
    extension SessionTransfer {
        var roomMark: Int { buffer / 2 }

        var wholeBody: Data { state.withLock(\.whole) }

        var measured: BodyStream.Ending { BodyStream.Ending(metrics: state.withLock(\.metrics)) }

        func withFeed<Result: Sendable>(_ access: (inout TransferFeed) -> Result) -> Result {
            state.withLock { access(&$0.feed) }
        }

        func head() throws -> HTTPResponse {
            // The feed announces a response only after its head has arrived.
            guard let head = state.withLock(\.head) else { throw CancellationError() }
            var response = HTTPResponse(
                status: HTTPStatus(head.status), headers: head.decoded.headers, request: request)
            response.isDecoded = head.isEncoded
            return response
        }
    }
#endif
