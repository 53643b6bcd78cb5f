#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a cache has seen of a request, compared with what was sent: interceptors behind the cache may have changed it.
///
/// A response that depends on something that the cache has not seen is not cached: the next request would be answered with it
/// whatever it sends.
enum SentRequests {
    enum Difference: Hashable, Sendable {
        case credentials
        /// The request was sent to another host than it names.
        case host
        /// A field that the response varies by was changed.
        case varied

        /// The reason not to store the response.
        var reason: CacheExplanation.Reason { self == .credentials ? .credentialsAdded : .requestChanged }
    }

    /// The first thing that a response depends on and that the cache has not seen; nil if there is none.
    ///
    /// - Parameters:
    ///   - sent: The requests as they were sent, on behalf of the one that the cache has seen.
    ///   - hasIdentity: Whether an identity stands for the credentials.
    static func difference(
        from request: HTTPRequest, _ sent: [HTTPRequest], response: Headers, hasIdentity: Bool
    ) -> Difference? {
        guard !sent.isEmpty else { return nil }
        let names: [String]
        if case .fields(let varied) = Vary(response) { names = varied } else { names = [] }
        for other in sent {
            if !hasIdentity, !Credentials.areSame(request, other) { return .credentials }
            if !TargetHost.isSame(request.headers, other.headers) { return .host }
            for name in names where !isOfTransport(name) && !Credentials.isCredential(name) {
                let (seen, sent) = (request.headers.all(name), other.headers.all(name))
                guard seen.count == sent.count, zip(seen, sent).allSatisfy({ $0.hasSameBytes(as: $1) }) else {
                    return .varied
                }
            }
        }
        return nil
    }

    /// Transports say themselves what they decode.
    private static func isOfTransport(_ name: String) -> Bool { name == "accept-encoding" }
}
