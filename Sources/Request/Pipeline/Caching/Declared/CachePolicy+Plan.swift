/// The failure of a request, as declared policies distinguish it.
enum FetchFailure: Hashable, Sendable, CaseIterable {
    /// The body of the response says that the server refused, or a rule of the application refused the response.
    case refused
    /// There was no response, or none that could be used.
    case unavailable
    /// The server has responded with a status such as 404, the call was cancelled, or the request cannot be sent as it is. A
    /// cached response would only hide that.
    case final
}

/// The step after a lookup in the store.
enum LookupStep: Equatable, Sendable {
    /// Ends with the cached output.
    case finish
    /// Sends the request. A cached output is delivered before.
    case send
    case fail
}

/// The step after a failed request.
enum FailureStep: Equatable, Sendable {
    case fail
    /// Removes the cached response, and fails.
    case evict
    /// Looks for a cached response.
    case fallBack
}

extension CachePolicy {
    /// A Boolean value that indicates whether the call reads the store before it sends the request.
    var readsFirst: Bool {
        switch fetch {
        case .cacheElseNetwork, .cacheThenNetwork, .cacheOnly: true
        case .networkOnly, .reload, .networkElseCache, .http: false
        }
    }

    /// Returns the first step of a policy that reads the store first.
    ///
    /// - Parameter isFound: A Boolean value that indicates whether a fresh response has yielded an output.
    func opening(isFound: Bool) -> LookupStep {
        switch fetch {
        case .cacheThenNetwork: .send
        case .cacheOnly: isFound ? .finish : .fail
        default: isFound ? .finish : .send
        }
    }

    /// Returns the step after a failed request.
    func closing(_ failure: FetchFailure) -> FailureStep {
        switch failure {
        case .refused: isDeclared ? .evict : .fail
        case .unavailable: fetch == .networkElseCache ? .fallBack : .fail
        case .final: .fail
        }
    }

    /// A Boolean value that indicates whether each use makes a response fresh for longer.
    var isSliding: Bool {
        if case .sliding = hit { true } else { false }
    }
}

extension FetchFailure {
    /// Classifies the error of a call.
    init(_ error: any Error) {
        if let error = error as? RequestError {
            self.init(error.code, status: error.response?.status)
        } else {
            self = error is CancellationError ? .final : .unavailable
        }
    }

    /// Classifies the code of an error.
    init(_ code: RequestError.Code, status: HTTPStatus?) {
        switch code {
        case .business, .refusedResponse: self = .refused
        case .badStatus:
            switch status {
            case .requestTimeout, .tooEarly, .tooManyRequests, nil: self = .unavailable
            case let status?: self = status.isServerError ? .unavailable : .final
            }
        case .shutDown, .untrusted, .badTrust, .unsupported, .noTransport, .badURL, .badMethod, .badHeader, .badBody,
            .bodyNotReplayable, .notEncodable, .noEndpoint, .noBaseURL, .noSerializer, .duplicate, .signedOut:
            self = .final
        default: self = .unavailable
        }
    }
}
