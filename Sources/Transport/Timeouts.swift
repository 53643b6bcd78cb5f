/// The time limits of a request, exact to the millisecond. Nil is no limit.
///
/// With a duration of zero or less, the request fails with the code of that timeout, and nothing is sent. A duration of
/// more than a hundred years counts as nil.
public struct Timeouts: Hashable, Sendable {
    /// The limit for a connection: looking up the host, connecting, and the TLS handshake.
    public var connect: Duration?
    /// The limit for the next byte, in either direction, once connected. Waiting for the reader of a stream does not
    /// count.
    public var idle: Duration?
    /// The limit for each attempt, from its start to the last byte of its response.
    ///
    /// A call whose ``Request/retryPolicy`` sends it again has this time for each attempt.
    public var attempt: Duration?
    /// The limit for the whole call, from the start to the last byte.
    ///
    /// A call whose total time is zero or less fails with ``RequestError/Code/totalTimedOut``, and nothing is sent.
    public var total: Duration?
    /// The longest wait for `100 Continue` before a body is sent; nil, the default, to send bodies at once.
    ///
    /// With it, a request with a body has the field `Expect: 100-continue`. A server that refuses the request, with 401 or
    /// 413, does so before the body is sent. A server that does not know the field sends nothing, and gets the body
    /// after this time. It applies to ``CurlTransport`` and HTTP/1.1, and elsewhere bodies are sent at once.
    public var expectContinue: Duration?

    public init(
        connect: Duration? = .seconds(15), idle: Duration? = .seconds(60), attempt: Duration? = nil,
        total: Duration? = nil, expectContinue: Duration? = nil
    ) {
        self.connect = connect
        self.idle = idle
        self.attempt = attempt
        self.total = total
        self.expectContinue = expectContinue
    }

    /// 15 seconds for a connection, 60 seconds for the next byte, and no limit for attempts or the whole call.
    public static let `default` = Timeouts()
    /// No limits.
    public static let none = Timeouts(connect: nil, idle: nil, total: nil)
}

extension Timeouts {
    /// The error for a duration of zero or less, or nil.
    package var refusal: (code: RequestError.Code, detail: String)? {
        func refuse(_ name: String, _ duration: Duration?, _ code: RequestError.Code) -> (RequestError.Code, String)? {
            guard let duration, duration <= .zero else { return nil }
            return (
                code,
                "nothing was sent, because Timeouts.\(name) is \(duration.text): set more than zero, or nil for no limit"
            )
        }
        return refuse("total", total, .totalTimedOut) ?? refuse("connect", connect, .connectTimedOut)
            ?? refuse("idle", idle, .idleTimedOut) ?? refuse("attempt", attempt, .attemptTimedOut)
            ?? refuse("expectContinue", expectContinue, .badPolicy)
    }

    /// The limits without that of the call.
    package var ofTransfer: Timeouts {
        Timeouts(connect: connect, idle: idle, attempt: attempt, expectContinue: expectContinue)
    }

    /// The limit of a transfer as a whole, which is one attempt of a call, and the code of its error.
    package var whole: (limit: Duration?, code: RequestError.Code) {
        guard let attempt, total.map({ attempt < $0 }) ?? true else { return (total, .totalTimedOut) }
        return (attempt, .attemptTimedOut)
    }
}

extension Timeouts: CustomStringConvertible {
    /// The limits that are set, such as `connect 15 s, idle 60 s`.
    public var description: String {
        let limits = [
            ("connect", connect), ("idle", idle), ("attempt", attempt), ("total", total),
            ("expectContinue", expectContinue),
        ]
        let texts = limits.compactMap { name, limit in limit.map { "\(name) \($0.text)" } }
        return texts.isEmpty ? "no limits" : texts.joined(separator: ", ")
    }
}
