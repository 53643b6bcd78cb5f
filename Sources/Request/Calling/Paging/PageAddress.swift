/// The decisions about the address of a next page.
enum PageAddress {
    /// The use of the credentials that a request and its client would add.
    enum Credentials: Hashable, Sendable {
        case sent
        case removed
    }

    /// Returns the URL of a link.
    static func url(_ target: String, from base: URL) throws -> URL {
        do throws(RedirectLocation.Problem) {
            return try RedirectLocation.url(target, from: base)
        } catch {
            throw RequestError(
                .badPage, phase: .decode, detail: "the server links to a next page, and \(error.text)")
        }
    }

    /// Returns whether a request for a page may carry credentials.
    ///
    /// - Parameters:
    ///   - first: The URL of the first page.
    ///   - allowsCredentials: Returns whether a URL receives the credentials of the client.
    static func credentials(
        to next: URL, first: URL, allowsCredentials: (URL) -> Bool
    ) -> Credentials {
        if let one = Origin(first), one == Origin(next) { return .sent }
        return allowsCredentials(first) && allowsCredentials(next) ? .sent : .removed
    }

    /// Throws if a page may not follow another one.
    ///
    /// - Parameter seen: The addresses of all pages so far. The new one is added.
    static func check(
        _ next: HTTPRequest, after previous: URL, allowsInsecure: Bool, seen: inout Set<ExactString>
    ) throws {
        let shown = RequestURL.shown(next.url.absoluteString)
        if Origin(previous)?.scheme == "https", Origin(next.url)?.scheme == "http", !allowsInsecure {
            throw RequestError(
                .badPage, phase: .prepare,
                detail: "the next page leads from https to \(shown): check the server, or follow it with "
                    + "RedirectPolicy.allowingInsecure()",
                request: next.withoutBody)
        }
        guard let address = address(of: next), !seen.insert(ExactString(address)).inserted else { return }
        throw RequestError(
            .badPage, phase: .prepare,
            detail:
                "the next page is an earlier one, \(shown), so the list would not end: check the server, or the paging of the request",
            request: next.withoutBody)
    }

    /// Returns a text that is the same for requests of the same page; nil for a body that is not in memory.
    static func address(of request: HTTPRequest) -> String? {
        var body = ""
        if !request.body.isNone {
            guard let digest = ResponseKey.digest(of: request.body) else { return nil }
            body = digest
        }
        return "\(request.method) \(RequestURL.normalized(request.url)) \(body)"
    }
}
