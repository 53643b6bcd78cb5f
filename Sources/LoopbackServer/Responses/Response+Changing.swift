extension Response {
    private func changed(_ change: (inout Response) -> Void) -> Response {
        var copy = self
        change(&copy)
        return copy
    }

    // MARK: The head

    /// Returns a copy with another status.
    public func status(_ status: Int, reason: String? = nil) -> Response {
        changed {
            $0.status = status
            $0.reason = reason
        }
    }

    /// Returns a copy with one more header line.
    public func header(_ name: String, _ value: String) -> Response {
        changed { $0.headers.append(name, value) }
    }

    /// Returns a copy with one more header line of exactly these bytes.
    public func headerLine(_ bytes: some Sequence<UInt8>) -> Response {
        changed { $0.headers.append(HeaderLines.Line(bytes: bytes)) }
    }

    /// Returns a copy with one more header line of exactly this text, such as `"X-Tight:1"` or `"X-Folded: a\r\n b"`.
    public func headerLine(_ text: String) -> Response {
        headerLine(text.utf8)
    }

    /// Returns a copy with another version, such as `"HTTP/1.0"`.
    public func version(_ version: String) -> Response {
        changed { $0.version = version }
    }

    /// Returns a copy that sends a response with a status of 1xx first.
    public func informational(_ status: Int, headers: HeaderLines = [:]) -> Response {
        changed { $0.informational.append((status, headers)) }
    }

    // MARK: The body

    /// Returns a copy with a `Content-Length`, which may be wrong.
    public func declaring(length: Int) -> Response {
        header("Content-Length", String(length))
    }

    /// Returns a copy with the body in chunks of at most `size` bytes.
    public func chunked(size: Int = 16_384) -> Response {
        changed { $0.framing = .chunked(size: max(1, size)) }
    }

    /// Returns a copy whose body ends with the connection.
    public func untilClose() -> Response {
        changed { $0.framing = .untilClose }
    }

    /// Returns a copy with header lines after a chunked body.
    public func trailers(_ trailers: HeaderLines) -> Response {
        changed { $0.trailers.lines += trailers.lines }
    }

    /// Returns a copy that sends `bytes` bytes of the body in each interval of real time.
    public func throttled(bytes: Int, every interval: Duration) -> Response {
        changed { $0.throttle = Throttle(bytes: max(1, bytes), interval: interval) }
    }

    // MARK: Timing

    /// Returns a copy that waits for some time at a moment, by default before anything of it is written.
    public func delayed(by delay: Duration, at moment: Fault.Moment = .response) -> Response {
        changed { $0.actions.append(Action(moment: moment, kind: .pause(delay))) }
    }

    /// Returns a copy that waits for a gate at a moment, by default before anything of it is written.
    public func held(by gate: Gate, at moment: Fault.Moment = .response) -> Response {
        changed { $0.actions.append(Action(moment: moment, kind: .hold(gate))) }
    }

    /// Returns a copy that is sent as soon as the head of the request was read, before its body.
    ///
    /// The body is read after the response, so that the connection can be used again, unless it closes (``closing()``).
    /// A client that sent `Expect: 100-continue` gets this response instead of the 100.
    public func beforeRequestBody() -> Response {
        changed { $0.isEarly = true }
    }

    /// Returns a copy that sends no 100 to a client that sent `Expect: 100-continue`.
    public func withoutContinue() -> Response {
        changed { $0.continues = false }
    }

    /// Returns a copy with `Connection: close`. The connection closes after it.
    public func closing() -> Response {
        changed { $0.closes = true }
    }

    // MARK: Faults

    /// Returns a copy with a fault.
    public func failing(_ effect: Fault.Effect, at moment: Fault.Moment) -> Response {
        changed { $0.actions.append(Action(moment: moment, kind: .fail(effect))) }
    }

    /// Returns a copy with a fault.
    public func failing(_ fault: Fault) -> Response {
        failing(fault.effect, at: fault.moment)
    }
}
