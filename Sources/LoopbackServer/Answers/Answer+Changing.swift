extension Answer {
    private func changed(_ change: (inout Answer) -> Void) -> Answer {
        var copy = self
        change(&copy)
        return copy
    }

    // MARK: The head

    /// With another status.
    public func status(_ status: Int, reason: String? = nil) -> Answer {
        changed {
            $0.status = status
            $0.reason = reason
        }
    }

    /// With one more header line.
    public func header(_ name: String, _ value: String) -> Answer {
        changed { $0.headers.append(name, value) }
    }

    /// With one more header line, exactly as the bytes are.
    public func headerLine(_ bytes: some Sequence<UInt8>) -> Answer {
        changed { $0.headers.append(HeaderLines.Line(bytes: bytes)) }
    }

    /// With one more header line, exactly as the text is: `"X-Tight:1"`, or `"X-Folded: a\r\n b"`.
    public func headerLine(_ text: String) -> Answer {
        headerLine(text.utf8)
    }

    /// As another version: `"HTTP/1.0"`.
    public func version(_ version: String) -> Answer {
        changed { $0.version = version }
    }

    /// With an answer of status 1xx before it.
    public func informational(_ status: Int, headers: HeaderLines = [:]) -> Answer {
        changed { $0.informational.append((status, headers)) }
    }

    // MARK: The body

    /// With a `Content-Length` that may be wrong.
    public func claiming(length: Int) -> Answer {
        header("Content-Length", String(length))
    }

    /// With the body in chunks of at most some size.
    public func chunked(size: Int = 16_384) -> Answer {
        changed { $0.framing = .chunked(size: max(1, size)) }
    }

    /// With a body that ends where the connection does.
    public func untilClose() -> Answer {
        changed { $0.framing = .untilClose }
    }

    /// With header lines behind a chunked body.
    public func trailers(_ trailers: HeaderLines) -> Answer {
        changed { $0.trailers.lines += trailers.lines }
    }

    /// With a body that comes in portions of some bytes, one in each interval of real time.
    public func throttled(bytes: Int, every interval: Duration) -> Answer {
        changed { $0.throttle = Throttle(bytes: max(1, bytes), interval: interval) }
    }

    // MARK: When it comes

    /// After a time, at a moment; before anything of it is written unless said otherwise.
    public func delayed(by delay: Duration, at moment: Fault.Moment = .response) -> Answer {
        changed { $0.actions.append(Action(moment: moment, kind: .pause(delay))) }
    }

    /// Once a gate is open, at a moment; before anything of it is written unless said otherwise.
    public func held(by gate: Gate, at moment: Fault.Moment = .response) -> Answer {
        changed { $0.actions.append(Action(moment: moment, kind: .hold(gate))) }
    }

    /// At once when the head of the request was read, whatever of the body is still to come.
    ///
    /// The body is then read and dropped, so that the connection can be used again; if it ends behind the answer
    /// (``closing()``), it is not. A client that sent `Expect: 100-continue` gets this answer in place of the 100.
    public func early() -> Answer {
        changed { $0.isEarly = true }
    }

    /// Without the 100 that a client waits for which sent `Expect: 100-continue`.
    public func withoutContinue() -> Answer {
        changed { $0.continues = false }
    }

    /// With `Connection: close`, and the end of the connection behind it.
    public func closing() -> Answer {
        changed { $0.closes = true }
    }

    // MARK: What goes wrong

    /// With a fault on the way.
    public func failing(_ effect: Fault.Effect, at moment: Fault.Moment) -> Answer {
        changed { $0.actions.append(Action(moment: moment, kind: .fail(effect))) }
    }

    /// With a fault on the way.
    public func failing(_ fault: Fault) -> Answer {
        failing(fault.effect, at: fault.moment)
    }
}
