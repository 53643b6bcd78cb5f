extension RequestError {
    /// A Boolean value that indicates whether sending the request again may help and is harmless.
    ///
    /// ```text
    /// error                                                   retryable with
    /// hostNotFound cannotConnect connectTimedOut proxyFailed  any method: nothing was sent
    /// outOfResources, before anything was sent                any method
    /// connectionLost while connecting                         any method
    /// notProcessed                                            any method: the server says so
    /// connectionLost idleTimedOut truncated                   an idempotent method
    /// status 408 425 429 503                                  any method: the server did not act on it
    /// status 500 502 504                                      an idempotent method
    /// everything else                                         no method
    /// a body that can be sent once                            no method, for all errors
    /// ```
    ///
    /// A request with an `Idempotency-Key` counts as one with an idempotent method. The caller decides whether, when
    /// and how often to retry.
    public var isRetryable: Bool {
        Self.isRetryable(
            code, phase: phase, status: response?.status, isIdempotent: request?.isIdempotent ?? false,
            isReplayable: request?.body.isReplayable ?? true)
    }

    /// Returns whether an error is a ``RequestError`` that ``isRetryable``.
    ///
    /// ```swift
    /// let user = Promise.retry(3, backoff: .exponential(), if: RequestError.isRetryable) { attempt in
    ///     GetUser(id: 1).start().promise
    /// }
    /// ```
    @Sendable public static func isRetryable(_ error: any Error) -> Bool {
        error.asRequestError?.isRetryable ?? false
    }

    /// Returns the value of the table in ``isRetryable``.
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
    /// A Boolean value that indicates whether sending the request twice has the same effect as sending it once. That
    /// depends on the method, or on a key by which the server recognises the repetition.
    package var isIdempotent: Bool {
        method.isIdempotent || headers.contains("Idempotency-Key")
    }
}
