#if os(Linux)
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// What the caller of a transfer gets of it: the response, and its body portion by portion.
    extension CurlTransfer {
        /// Returns the response once the loop has published its head or its end, or throws the error of the request.
        func response() throws -> HTTPResponse {
            let (hasHead, streamHead, ending, metrics) = shared.withLock {
                ($0.hasHead, $0.head, $0.ending, $0.metrics)
            }
            guard hasHead else {
                switch ending {
                case .failure(let error): throw error.with(request)
                case .cancelled, .success, nil: throw CancellationError()
                }
            }
            guard let head = options.delivery == .stream ? streamHead : reception.parsedHead else {
                leave()
                throw RequestError(
                    .badResponse, phase: .wait, detail: "the head of the response is not HTTP", request: request)
            }
            var response = HTTPResponse(head: head, request: request)
            if decodes, response.headers.contains("Content-Encoding") {
                response.headers.remove("Content-Encoding")
                response.headers.remove("Content-Length")
            }
            response.metrics = metrics.public
            guard let ending else {
                response.stream = BodyStream(CurlBody(self))
                return response
            }
            switch ending {
            case .success:
                response.body = takeBody()
                response.trailers = shared.withLock(\.trailers).parsed
                return response
            case .failure where options.delivery == .stream:
                response.stream = BodyStream(CurlBody(self))
                return response
            case .failure(var error):
                response.body = takeBody()
                error.request = request
                error.response = response
                throw error
            case .cancelled: throw CancellationError()
            }
        }

        /// All of the body, when it is there.
        private func takeBody() -> Data {
            guard options.delivery == .stream else { return reception.wholeBody }
            return shared.withLock { shared in
                defer { shared.portions = [] }
                return shared.portions.joined
            }
        }

        /// The next portion of the body.
        func portion() async throws -> Data? {
            try await withCancellation {
                while true {
                    let (step, resumes) = shared.withLock { $0.step(below: loop.configuration.atLeastSomeBuffer / 2) }
                    if resumes { loop.submit(.receive(self)) }
                    switch step {
                    case .portion(let portion): return portion
                    case .end(.success): return nil
                    case .end(.failure(let error)): throw error.with(request)
                    case .end(.cancelled): throw CancellationError()
                    case .wait:
                        await withUnsafeContinuation { continuation in
                            let isThere = shared.withLock { shared in
                                if !shared.portions.isEmpty || shared.ending != nil { return true }
                                shared.waiter = .portion(continuation)
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

        /// The trailers and metrics, when all has been read.
        var bodyEnding: BodyStream.Ending? {
            let (isOver, trailers, metrics) = shared.withLock { shared -> (Bool, [UInt8], CurlMetrics) in
                guard case .success = shared.ending else { return (false, [], shared.metrics) }
                return (shared.portions.isEmpty, shared.trailers, shared.metrics)
            }
            guard isOver else { return nil }
            return BodyStream.Ending(trailers: trailers.parsed, metrics: metrics.public)
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

    extension Collection<Data> {
        fileprivate var joined: Data {
            guard count > 1 else { return first ?? Data() }
            var all = Data(capacity: reduce(0) { $0 + $1.count })
            for portion in self { all.append(portion) }
            return all
        }
    }
#endif
