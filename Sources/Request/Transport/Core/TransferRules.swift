extension ServerAddress {
    /// The server of a request, or the error of the request if its URL names none.
    init(of request: HTTPRequest) throws(RequestError) {
        do throws(Problem) {
            self = try ServerAddress(request.url)
        } catch {
            throw RequestError(.badURL, phase: .prepare, detail: error.text, request: request)
        }
    }
}

extension TransportOptions {
    /// Returns whether the transport decodes the response of a request.
    func decodes(_ request: HTTPRequest) -> Bool {
        decompression != nil && !request.headers.contains("Accept-Encoding") && !request.headers.contains("Range")
    }

    /// The limits of decoding. A server may encode a response although the request did not ask for it.
    func decodingLimits(decodes: Bool) -> Decompression {
        let limits = decompression ?? Decompression()
        return decodes ? limits : limits.ofOthers
    }

    /// The error of a response that is delivered as a whole if more bytes would exceed its limit.
    func excess(of count: Int, after total: Int) -> RequestError? {
        guard case .whole(let limit?) = delivery, count > max(limit, 0) - total else { return nil }
        return .tooLarge(limit: limit, response: HTTPResponse(status: 0))
    }
}

extension Timeouts {
    /// The detail of the error when one of them has passed.
    func detail(of code: RequestError.Code) -> String {
        switch code {
        case .connectTimedOut: "there was no connection within \(connect ?? .zero)"
        case .idleTimedOut: "nothing was sent or received for \(idle ?? .zero)"
        default: "it was not done within \(total ?? .zero)"
        }
    }
}

extension RequestError.Phase {
    /// The phase of an exchange.
    init(hasHead: Bool, isConnected: Bool, isSending: Bool) {
        self = hasHead ? .receive : !isConnected ? .connect : isSending ? .send : .wait
    }
}

extension RequestError {
    /// The same error with the request that it happened on, unless it has one.
    func with(_ request: HTTPRequest) -> RequestError {
        guard self.request == nil else { return self }
        var error = self
        error.request = request
        return error
    }
}
