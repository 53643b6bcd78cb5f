extension RequestError {
    /// Whether sending the request again may help and can do no harm.
    ///
    /// ```text
    /// what went wrong                                         again with
    /// hostNotFound cannotConnect connectTimedOut proxyFailed  any method: nothing was sent
    /// outOfResources, before anything was sent                any method
    /// connectionLost while connecting                         any method
    /// notProcessed                                            any method: the server says so
    /// connectionLost idleTimedOut truncated                   an idempotent method
    /// status 408 425 429 503                                  any method: the server did not act on it
    /// status 500 502 504                                      an idempotent method
    /// everything else                                         no method
    /// a body that can be sent once                            no method, whatever went wrong
    /// ```
    ///
    /// A request with an `Idempotency-Key` counts as one with an idempotent method. Whether, when and how often is
    /// decided by whoever retries.
    public var isRetryable: Bool {
        Self.isRetryable(
            code, phase: phase, status: response?.status, isIdempotent: request?.isIdempotent ?? false,
            isReplayable: request?.body.isReplayable ?? true)
    }

    /// Returns whether an error is a ``RequestError`` after which sending the request again may help and can do no harm: see
    /// ``isRetryable``.
    ///
    /// ```swift
    /// let user = Promise.retry(3, backoff: .exponential(), if: RequestError.isRetryable) { attempt in
    ///     GetUser(id: 1).start().promise
    /// }
    /// ```
    @Sendable public static func isRetryable(_ error: any Error) -> Bool {
        error.asRequestError?.isRetryable ?? false
    }

    /// The table of ``isRetryable``.
    package static func isRetryable(
        _ code: Code, phase: Phase, status: HTTPStatus?, isIdempotent: Bool, isReplayable: Bool
    ) -> Bool {
        guard isReplayable else { return false }
        let nothingWasSent = phase == .prepare || phase == .connect
        switch code {
        case .hostNotFound, .cannotConnect, .connectTimedOut, .proxyFailed, .notProcessed: return true
        case .outOfResources: return nothingWasSent
        case .connectionLost: return nothingWasSent || isIdempotent
        case .idleTimedOut, .truncated: return isIdempotent
        case .badStatus:
            switch status {
            case .requestTimeout, .tooEarly, .tooManyRequests, .serviceUnavailable: return true
            case .internalServerError, .badGateway, .gatewayTimeout: return isIdempotent
            default: return false
            }
        default: return false
        }
    }
}

extension HTTPRequest {
    /// Whether doing it twice is the same as doing it once: by its method, or because the server was given a key by
    /// which it knows the second time.
    package var isIdempotent: Bool {
        method.isIdempotent || headers.contains("Idempotency-Key")
    }
}
