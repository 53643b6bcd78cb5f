#if os(Linux)
    /// The response and the body of a transfer, for the receiver.
    extension CurlTransfer {
        var roomMark: Int { loop.configuration.atLeastSomeBuffer / 2 }

        var wholeBody: Data { reception.wholeBody }

        func withFeed<Result: Sendable>(_ access: (inout TransferFeed) -> Result) -> Result {
            shared.withLock { access(&$0.feed) }
        }

        func head() throws -> HTTPResponse {
            guard let head = options.delivery == .stream ? shared.withLock(\.head) : reception.parsedHead else {
                leave()
                throw RequestError(
                    .badResponse, phase: .wait,
                    detail: "the response is not valid HTTP: check the server, and any proxy before it",
                    request: request)
            }
            if let trust, let pin = shared.withLock({ replace(&$0.presentedPin, with: nil) }) {
                trust.rules.report(pin, host: address.host)
            }
            var response = HTTPResponse(head: head, request: request)
            if decodes, !response.headers.contentEncodings.isEmpty {
                response.headers.remove("Content-Encoding")
                response.headers.remove("Content-Length")
                response.isDecoded = true
            }
            return response
        }

        var measured: BodyStream.Ending {
            let (trailers, metrics) = shared.withLock { ($0.trailers, $0.metrics) }
            return BodyStream.Ending(trailers: trailers.parsed, metrics: metrics.public)
        }

        func release() {
            withFeed { $0.isHeld = false }
            loop.submit(.receive(self))
        }
    }

    extension HTTPResponse {
        fileprivate init(head: ResponseHead, request: HTTPRequest) {
            self.init(
                status: head.status, reason: head.reason, version: head.version, headers: head.headers, request: request
            )
        }
    }

    extension [UInt8] {
        /// The fields of trailers.
        fileprivate var parsed: Headers {
            isEmpty ? [:] : withUnsafeBytes { ResponseHead.fields(parsing: $0) }
        }
    }
#endif
