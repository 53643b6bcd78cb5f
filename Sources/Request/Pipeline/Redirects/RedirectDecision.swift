/// The decision whether a response is followed by another request, and by which one. It is a pure function of values.
enum RedirectDecision {
    /// The request follows.
    case follow(HTTPRequest)
    /// The response is that of the call.
    case accept
    /// The call fails.
    case fail(RequestError.Code, String)

    /// The values that a decision depends on, beside the response.
    struct Situation {
        /// The request that the response belongs to.
        var request: HTTPRequest
        /// The requests that were redirected before, in order.
        var earlier: [HTTPRequest] = []
        var policy = RedirectPolicy.follow()
        /// A Boolean value that indicates whether all connections go to one Unix socket.
        var usesSocket = false
        /// Returns whether a URL receives the credentials of the client.
        var allowsCredentials: (URL) -> Bool = { _ in false }
    }

    static func of(_ response: HTTPResponse, _ situation: Situation) -> RedirectDecision {
        let policy = situation.policy
        guard response.status.isFollowed, policy.rule != .refuse else { return .accept }
        let locations = Set(response.headers.all("Location").map(ExactString.init))
        guard let location = locations.first?.text, !location.isEmpty else { return .accept }
        guard locations.count == 1 else {
            return .fail(.badRedirect, "the redirect has several Locations: check the server")
        }
        let url: URL
        do throws(RedirectLocation.Problem) {
            url = try RedirectLocation.url(location, from: situation.request.url)
        } catch {
            return .fail(.badRedirect, "the server redirects, and \(error.text)")
        }
        return situation.decision(for: response.status, to: url)
    }
}

extension RedirectDecision.Situation {
    /// Returns the decision for a valid URL.
    fileprivate func decision(for status: HTTPStatus, to url: URL) -> RedirectDecision {
        let shown = RequestURL.shown(url.absoluteString)
        guard let old = Origin(request.url), let new = Origin(url) else {
            return .fail(.badRedirect, "the server redirects to \(shown), which has no valid host")
        }
        if old != new, usesSocket {
            return .fail(
                .badRedirect,
                "the server redirects to another origin, \(shown), which the Unix socket "
                    + "does not lead to: send that request with another client")
        }
        if old.scheme == "https", new.scheme == "http", !policy.allowsInsecure {
            return .fail(
                .badRedirect,
                "the server redirects from https to \(shown): follow it with "
                    + "RedirectPolicy.allowingInsecure(), or check the server")
        }
        guard let next = next(for: status, to: url, isSameOrigin: old == new) else { return .accept }
        guard earlier.count < policy.limit else {
            return .fail(
                .tooManyRedirects,
                "the server redirects more often than \(policy.limit) times: check it, or raise the limit of RedirectPolicy"
            )
        }
        guard !isLoop(next) else {
            return .fail(
                .tooManyRedirects,
                "the server redirects in a loop, to \(shown): check it")
        }
        return .follow(next)
    }

    /// Returns the request that follows; nil if its body cannot be sent again.
    private func next(for status: HTTPStatus, to url: URL, isSameOrigin: Bool) -> HTTPRequest? {
        var next = request
        next.url = url
        let becomesGet =
            switch status.code {
            case 301, 302: request.method == .post
            case 303: request.method != .head
            default: false
            }
        if becomesGet {
            next.method = .get
            next.body = .none
            for name in Self.fieldsOfBodies { next.headers.remove(name) }
        } else if !request.body.isReplayable {
            return nil
        }
        guard !isSameOrigin else { return next }
        next.headers.remove("Host")
        if !allowsCredentials(request.url) || !allowsCredentials(url) {
            next.headers = next.headers.withoutCredentials(request.ownRedaction)
        }
        return next
    }

    /// The fields that describe a body, or a request that changes something.
    private static let fieldsOfBodies = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location", "Content-MD5",
        "Content-Digest", "Repr-Digest", "Digest", "Content-Range", "Content-Disposition", "Transfer-Encoding",
        "Trailer", "Expect", "Idempotency-Key",
    ]

    /// Returns whether a request was sent twice before. Once is no loop: the server may have set a cookie that changes
    /// its response.
    private func isLoop(_ next: HTTPRequest) -> Bool {
        let text = RequestURL.normalized(next.url)
        return (earlier + [request]).count {
            $0.method == next.method && RequestURL.normalized($0.url).hasSameBytes(as: text)
        } > 1
    }
}
