import TangoCache

/// What a call has to do with the cache, as its observers hear of it.
///
/// A write, and what comes of it, may be told after `finished`: nobody waits for it.
public enum CacheActivity: Sendable {
    /// Something was there that answers the call.
    case hit(CacheKey, age: Duration)
    /// Nothing was there that answers the call.
    case miss(CacheKey, Reason)
    /// What was there has been delivered, and the server is asked for what is new.
    case refreshing(CacheKey)
    /// It was asked for in the background, after the call had its answer: what the server said, without its body and with the
    /// metrics of the transfer, or why it said nothing.
    case refreshed(CacheKey, Result<HTTPResponse, any Error>)
    /// The server said that what was there is still right.
    case validated(CacheKey)
    /// The store has the answer.
    case stored(CacheKey)
    /// What was there has been removed.
    case evicted(CacheKey, Reason)
    /// The store could not do what it was asked to do. The call went on without.
    case failed(CacheKey, any Error)

    /// Why something was not there, or had to go.
    public enum Reason: Sendable, Hashable {
        /// There was none.
        case absent
        /// It was too old for the policy.
        case expired
        /// No output could be made of it any more.
        case unusable
        /// It was for a request with other headers.
        case otherVariant
        /// The server refused what it had given before.
        case refused
        /// Something was changed, or what was there has a successor.
        case obsolete
    }
}
