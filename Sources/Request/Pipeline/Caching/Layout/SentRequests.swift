/// Compares the request that a cache has seen with the requests that were sent. Interceptors behind the cache may have
/// changed them.
///
/// A response that depends on such a change is not cached. Otherwise, the next request would get it whatever it sends.
enum SentRequests {
    /// Returns the reason not to store a response that depends on a difference: credentials, the target host, or a field that the
    /// response varies by. Nil if there is none.
    ///
    /// - Parameters:
    ///   - sent: The requests that were sent on behalf of the one that the cache has seen.
    ///   - hasIdentity: A Boolean value that indicates whether an identity stands for the credentials.
    static func difference(
        from request: HTTPRequest, _ sent: [HTTPRequest], response: Headers, hasIdentity: Bool
    ) -> CacheExplanation.Reason? {
        guard !sent.isEmpty else { return nil }
        let names: [String]
        if case .fields(let varied) = Vary(response) { names = varied } else { names = [] }
        for other in sent {
            if !hasIdentity, !Credentials.areSame(request, other) { return .credentialsAdded }
            if !TargetHost.isSame(request.headers, other.headers) { return .requestChanged }
            for name in names where !isOfTransport(name) && !Credentials.isCredential(name) {
                let (seen, sent) = (request.headers.all(name), other.headers.all(name))
                guard seen.count == sent.count, zip(seen, sent).allSatisfy({ $0.hasSameBytes(as: $1) }) else {
                    return .requestChanged
                }
            }
        }
        return nil
    }

    /// Returns true for the field that transports set themselves, because they decode the response.
    private static func isOfTransport(_ name: String) -> Bool { name == "accept-encoding" }
}
