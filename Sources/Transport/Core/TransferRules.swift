extension ServerAddress {
    /// Reads the server of a request. Throws the error of the request if the URL names none.
    package init(of request: HTTPRequest) throws(RequestError) {
        do throws(Problem) {
            self = try ServerAddress(request.url)
        } catch {
            throw RequestError(.badURL, phase: .prepare, detail: error.text, request: request)
        }
    }
}

extension TransportOptions {
    /// Returns whether the transport decodes the response of a request.
    package func decodes(_ request: HTTPRequest) -> Bool {
        decompression != nil && (decodesUnrequested || !request.headers.contains("Accept-Encoding"))
            && !request.headers.contains("Range")
    }

    /// The limits of decoding. A server may encode a response although the request did not ask for it.
    package func decodingLimits(decodes: Bool) -> Decompression {
        let limits = decompression ?? Decompression()
        return decodes ? limits : limits.ofOthers
    }

    /// The error if a number of further bytes would exceed the limit of a response that is delivered as a whole.
    ///
    /// - Parameter response: The response so far; nil if the transfer adds it to its error.
    package func excess(of count: Int, after total: Int, in response: HTTPResponse? = nil) -> RequestError? {
        guard case .whole(let limit?) = delivery, count > limit - total else { return nil }
        return .tooLarge(limit: limit, response: response ?? HTTPResponse(status: 0))
    }
}

extension Timeouts {
    /// The detail of the error for a timeout that has passed.
    ///
    /// - Parameter moment: The point that the transfer has reached, if it is known.
    func detail(of code: RequestError.Code, _ moment: String? = nil) -> String {
        switch code {
        case .connectTimedOut:
            "no connection was established within \((connect ?? .zero).text): try again, or raise Timeouts.connect"
        case .idleTimedOut:
            "nothing was sent or received for \((idle ?? .zero).text): try again, or raise Timeouts.idle"
        case .attemptTimedOut: "\(Self.late("the attempt", attempt, moment)): try again, or raise Timeouts.attempt"
        default: "\(Self.late("the request", total, moment)): try again, or raise Timeouts.total"
        }
    }

    /// The text for something that did not finish in time.
    ///
    /// - Parameter moment: The point that it has reached, if it is known.
    package static func late(_ subject: String, _ limit: Duration?, _ moment: String?) -> String {
        "\(subject) did not finish within \((limit ?? .zero).text)\(moment.map { " (\($0))" } ?? "")"
    }
}

extension TransportOptions {
    /// The detail of the error for a timeout that has passed, with how far the transfer has come.
    package func detail(of code: RequestError.Code) -> String {
        timeouts.detail(of: code, progress.map { "\(TransferMoment($0))" })
    }
}

extension RequestError.Phase {
    /// The phase of an unfinished transfer.
    package init(hasHead: Bool, isConnected: Bool, isSending: Bool) {
        self = hasHead ? .receive : !isConnected ? .connect : isSending ? .send : .wait
    }
}

extension RequestError {
    /// The same error with the request that it happened on, unless it has one.
    package func with(_ request: HTTPRequest) -> RequestError {
        guard self.request == nil else { return self }
        var error = self
        error.request = request
        return error
    }
}

/// The next timeout of a transfer, and the code of its error. Both transports use this decision.
package struct TransferDeadline: Equatable {
    /// The part of a transfer that its timeouts depend on, with the time from which the timeout counts.
    package enum Part {
        /// The transfer waits for its turn, for its reader or for its body. Only the time as a whole counts.
        case held
        case connecting(since: Int64)
        /// The library does not tell connecting from waiting, so the sum of both timeouts applies.
        case connectingOrWaiting(since: Int64)
        /// Bytes are expected, in either direction.
        case exchanging(since: Int64)
    }

    package private(set) var time: Int64
    package private(set) var code: RequestError.Code

    /// - Parameter whole: The time at which the limit of the transfer as a whole passes.
    package init(whole: Int64, _ part: Part, _ timeouts: Timeouts) {
        time = whole
        code = timeouts.whole.code
        switch part {
        case .held: break
        case .connecting(let start):
            if let connect = timeouts.connect { limit(to: start.adding(connect), .connectTimedOut) }
        case .connectingOrWaiting(let start):
            if let connect = timeouts.connect, let idle = timeouts.idle {
                limit(to: start.adding(connect).adding(idle), .idleTimedOut)
            }
        case .exchanging(let start):
            if let idle = timeouts.idle { limit(to: start.adding(idle), .idleTimedOut) }
        }
    }

    private mutating func limit(to time: Int64, _ code: RequestError.Code) {
        if time < self.time { (self.time, self.code) = (time, code) }
    }
}

/// The limits of the interim responses, 1xx, to one request: a pure value.
///
/// A server may send any number of them before its final response, and each one extends the wait.
package struct InterimResponses: Equatable, Sendable {
    package enum Step: Hashable, Sendable {
        /// Reports the interim response to the observer.
        case report
        /// Drops it: the observer has got enough, or there is none.
        case skip
        /// Fails the request.
        case refuse
    }

    /// The highest number of interim responses that an observer gets.
    static let highestCount = 100
    /// The highest length in bytes of all interim responses together.
    package static let highestLength = 512 << 10

    private(set) var count = 0
    private(set) var length = 0

    package init(count: Int = 0, length: Int = 0) {
        self.count = count
        self.length = length
    }

    /// Adds an interim response with a number of bytes.
    package mutating func add(length added: Int, isObserved: Bool) -> Step {
        count += 1
        length += added
        guard length <= Self.highestLength else { return .refuse }
        return isObserved && count <= Self.highestCount ? .report : .skip
    }
}
