/// An action of the cache on behalf of a call, for the observers of the call.
///
/// A call does not wait for writes, so the result of a write may be reported after `finished`.
public enum CacheActivity: Sendable {
    /// A cached response was used.
    case hit(CacheKey, age: Duration)
    /// No cached response could be used.
    case miss(CacheKey, Reason)
    /// A cached response was delivered, and the request is sent to refresh it.
    case refreshing(CacheKey)
    /// A refresh in the background has ended, after the call. The response has the metrics of the transfer, but no
    /// body.
    case refreshed(CacheKey, Result<HTTPResponse, any Error>)
    /// The server confirmed that the cached response is current.
    case revalidated(CacheKey)
    /// The response was written to the store.
    case stored(CacheKey)
    /// The response was not stored, because it depends on changes that interceptors made behind the cache, such as
    /// credentials: ``CacheExplanation/Reason/credentialsAdded`` or ``CacheExplanation/Reason/requestChanged``.
    case notStored(CacheKey, CacheExplanation.Reason)
    /// The cached response was removed.
    case evicted(CacheKey, Reason)
    /// The store failed. The call continued without it.
    case failed(CacheKey, any Error)

    /// The reason for a miss or a removal.
    public enum Reason: Sendable, Hashable {
        /// Nothing is cached.
        case absent
        /// The cached response is older than the policy allows.
        case expired
        /// The cached response cannot be decoded.
        case unusable
        /// The cached response belongs to a request with other headers.
        case otherVariant
        /// The server has rejected the request.
        case rejected
        /// A change on the server, or a newer response, replaces the cached response.
        case obsolete
    }
}

extension CacheActivity: CustomStringConvertible {
    /// The use of the cache without the key, because a key may contain values of the request.
    public var description: String {
        switch self {
        case .hit(_, let age): "hit, \(age.text) old"
        case .miss(_, let reason): "miss, \(reason)"
        case .refreshing: "refreshing"
        case .refreshed(_, let result): "refreshed, \(result.outcome)"
        case .revalidated: "revalidated"
        case .stored: "stored"
        case .notStored(_, let reason): "not stored: \(reason)"
        case .evicted(_, let reason): "removed, \(reason)"
        case .failed(_, let error): "failed: \(ErrorText.redacted(error))"
        }
    }
}

extension Result where Success == HTTPResponse {
    fileprivate var outcome: String {
        switch self {
        case .success(let response): "\(response.status)"
        case .failure(let error): ErrorText.redacted(error)
        }
    }
}
