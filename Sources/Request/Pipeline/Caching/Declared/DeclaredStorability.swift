/// Decides whether a declared policy caches a response that its request has accepted.
enum DeclaredStorability {
    /// - Parameter isMessage: A Boolean value that indicates whether the request is a message that is sent as it is.
    ///   Nothing has checked its response, and the application has declared nothing about it.
    static func isCached(_ response: HTTPResponse, to request: HTTPRequest, isMessage: Bool) -> Bool {
        guard !response.isStreaming, isComplete(response.status), variesByLittle(response.headers) else { return false }
        guard isMessage else { return true }
        return response.status.isSuccess && !ResponseDirectives(response.headers).flags.contains(.noStore)
            && !RequestDirectives(request.headers).noStore
    }

    /// Returns false for a part of a response, and for a status that is about a moment or the rights of a user.
    private static func isComplete(_ status: HTTPStatus) -> Bool {
        guard !status.isServerError, !status.isInformational else { return false }
        switch status {
        case .partialContent, .notModified, .unauthorized, .proxyAuthenticationRequired, .requestTimeout, .tooEarly,
            .tooManyRequests, .preconditionFailed:
            return false
        default: return true
        }
    }

    /// Returns whether `Vary` allows caching. It allows `*`, because the application says how long a response is fresh.
    /// It forbids a list that is too long to compare, because the response differs between requests.
    private static func variesByLittle(_ headers: Headers) -> Bool {
        guard Vary(headers) == .anything else { return true }
        return FieldList.elements(of: headers.all("Vary")).contains("*")
    }
}
