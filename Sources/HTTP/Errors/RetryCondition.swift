/// The condition under which a request that failed may be sent again.
package enum RetryCondition: Equatable, Sendable {
    /// The server has not processed the request, so it may be sent again with any method.
    case anyMethod
    /// The server may have processed the request, so only an idempotent one may be sent again.
    case idempotentMethod
    /// Sending the request again does not help.
    case noMethod

    /// The condition for an error that is not about a status.
    package static func of(_ code: RequestError.Code, _ phase: RequestError.Phase) -> RetryCondition {
        let nothingWasSent = phase == .prepare || phase == .connect
        return switch code {
        case .offline, .hostNotFound, .cannotConnect, .proxyFailed, .notProcessed: .anyMethod
        // A timeout of zero has failed before anything was prepared, and will again.
        case .connectTimedOut, .idleTimedOut, .attemptTimedOut:
            phase == .prepare ? .noMethod : nothingWasSent ? .anyMethod : .idempotentMethod
        case .outOfResources: nothingWasSent ? .anyMethod : .noMethod
        case .connectionLost: nothingWasSent ? .anyMethod : .idempotentMethod
        case .truncated: .idempotentMethod
        default: .noMethod
        }
    }

    /// The condition for a status. Some statuses are final unless the server says when to try again.
    package static func of(_ status: HTTPStatus, hasRetryAfter: Bool) -> RetryCondition {
        switch status {
        // The server has not read the whole request, has no part in its host, or declines to process it early.
        case .requestTimeout, .misdirectedRequest, .tooEarly: .anyMethod
        // The server has refused the body, because it is too large for now.
        case .contentTooLarge: hasRetryAfter ? .anyMethod : .noMethod
        // `Retry-After` does not prove that nothing was processed.
        case .tooManyRequests, .serviceUnavailable: .idempotentMethod
        case .internalServerError, .badGateway, .gatewayTimeout: .idempotentMethod
        default: .noMethod
        }
    }

    /// Returns whether a request may be sent again.
    package func allows(isIdempotent: Bool) -> Bool {
        switch self {
        case .anyMethod: true
        case .idempotentMethod: isIdempotent
        case .noMethod: false
        }
    }
}
