extension RequestError {
    /// A Boolean value that indicates whether sending the request again may help and is harmless.
    ///
    /// ```text
    /// error                                                   retryable with
    /// offline hostNotFound cannotConnect                      any method: nothing was sent
    /// connectTimedOut proxyFailed                             any method: nothing was sent
    /// outOfResources, before anything was sent                any method
    /// connectionLost attemptTimedOut while connecting         any method
    /// notProcessed                                            any method: the server says so
    /// connectionLost idleTimedOut attemptTimedOut truncated   an idempotent method
    /// status 408 421 425                                      any method: the server did not act on it
    /// status 413 with Retry-After                             any method
    /// status 429 500 502 503 504                              an idempotent method
    /// everything else                                         no method
    /// a body that can be sent once                            no method, for all errors
    /// ```
    ///
    /// A request with an `Idempotency-Key` counts as one with an idempotent method. The
    /// ``RetryPolicy`` of a call decides whether, when and how often Tango retries by itself.
    public var isRetryable: Bool {
        guard request?.body.isReplayable ?? true else { return false }
        return retryCondition.allows(isIdempotent: request?.isIdempotent ?? false)
    }

    private var retryCondition: RetryCondition {
        guard code == .badStatus, let response else { return .of(code, phase) }
        return .of(response.status, hasRetryAfter: response.headers.contains("Retry-After"))
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
}

extension HTTPRequest {
    /// A Boolean value that indicates whether sending the request twice has the same effect as sending it once. That
    /// depends on the method, or on a key by which the server recognises the repetition.
    package var isIdempotent: Bool {
        method.isIdempotent || headers.contains("Idempotency-Key")
    }
}
