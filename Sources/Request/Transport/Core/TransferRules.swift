extension ServerAddress {
    /// Reads the server of a request. Throws the error of the request if the URL names none.
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

    /// The error if a number of further bytes would exceed the limit of a response that is delivered as a whole.
    func excess(of count: Int, after total: Int) -> RequestError? {
        guard case .whole(let limit?) = delivery, count > max(limit, 0) - total else { return nil }
        return .tooLarge(limit: limit, response: HTTPResponse(status: 0))
    }
}

extension Timeouts {
    /// The detail of the error for a timeout that has passed.
    func detail(of code: RequestError.Code) -> String {
        switch code {
        case .connectTimedOut:
            "no connection was established within \(connect ?? .zero): try again, or raise Timeouts.connect"
        case .idleTimedOut: "nothing was sent or received for \(idle ?? .zero): try again, or raise Timeouts.idle"
        case .attemptTimedOut:
            "the attempt did not finish within \(attempt ?? .zero): try again, or raise Timeouts.attempt"
        default: "the request did not finish within \(total ?? .zero): try again, or raise Timeouts.total"
        }
    }
}

extension RequestError.Phase {
    /// The phase of an unfinished transfer.
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
