/// Whether a declared policy caches a response that its request has taken for a success.
enum DeclaredStorability {
    /// - Parameter isMessage: Whether the request is a message that is sent as it is: nothing has checked its response, and the
    ///   application has declared nothing about it.
    static func isCached(_ response: HTTPResponse, to request: HTTPRequest, isMessage: Bool) -> Bool {
        guard !response.isStreaming, isComplete(response.status), variesByLittle(response.headers) else { return false }
        guard isMessage else { return true }
        return response.status.isSuccess && !ResponseDirectives(response.headers).flags.contains(.noStore)
            && !RequestDirectives(request.headers).noStore
    }

    /// Not a part of a response, nor one that is about a moment or the rights of a user.
    private static func isComplete(_ status: HTTPStatus) -> Bool {
        guard !status.isServerError, !status.isInformational else { return false }
        switch status {
        case .partialContent, .notModified, .unauthorized, .proxyAuthenticationRequired, .requestTimeout, .tooEarly,
            .tooManyRequests, .preconditionFailed:
            return false
        default: return true
        }
    }

    /// A declared policy caches what varies by anything (`*`), because the application says for how long it counts. A list that
    /// is too long to be compared says that the response is not the same for all, so it is not cached.
    private static func variesByLittle(_ headers: Headers) -> Bool {
        guard Vary(headers) == .anything else { return true }
        return FieldList.elements(of: headers.all("Vary")).contains("*")
    }
}
