/// Adds the cookies of the client to requests.
///
/// Each request of a chain of redirects passes the stage without the cookies of the request before, so each gets the
/// cookies of its own host.
struct CookieStage: Stage {
    /// The beginning of the URLs of most requests, so that their host is not parsed again.
    private struct Base {
        let start: String
        let host: CookieHost

        init?(_ base: URL?) {
            guard let base, let host = CookieHost(base), let authority = URLParts(base.absoluteString[...]).authority,
                authority.userinfo == nil
            else { return nil }
            let text = base.absoluteString
            start = String(text[..<(authority.port ?? authority.host).endIndex])
            self.host = host
        }

        func isOrigin(of url: String) -> Bool {
            guard url.utf8.starts(with: start.utf8) else { return false }
            switch url.utf8.dropFirst(start.utf8.count).first {
            case nil, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return true
            default: return false
            }
        }
    }

    let storage: Cookies.Storage
    private let base: Base?
    let time: WallTime

    init(_ cookies: Cookies, baseURL: URL?, time: WallTime) {
        storage = cookies.storage
        base = Base(baseURL)
        self.time = time
    }

    func prepare(_ request: inout HTTPRequest, for plan: CommonPlan) { attach(to: &request) }

    /// Cookies of another user than the one of the call are not sent.
    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut {
        plan.isUserSignedIn ? .pass : .needed
    }

    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool { true }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        let own = request.headers.all("Cookie")
        var request = request
        // Read first: cookies that are replaced meanwhile are then those of another user.
        let user = storage.user
        attach(to: &request)
        guard context.isUserSignedIn else { throw RequestError.signedOut }
        let attached = AttachedCookies(own: own, field: request.headers["Cookie"], user: user)
        return try await next.with(attached)(request)
    }

    /// The cookies at this moment: after a sign-in, a request does not share the transfer of one without its cookies.
    func mark(of request: () throws -> HTTPRequest, for plan: CommonPlan) throws -> SharingMark {
        if case .jar(let jar) = storage, jar.isEmpty.load(ordering: .acquiring) { return .none }
        return header(for: try request().url).map { .text($0) } ?? .none
    }

    private func attach(to request: inout HTTPRequest) {
        guard let cookies = header(for: request.url) else { return }
        CookieField.add(cookies, to: &request.headers)
    }

    private func header(for url: URL) -> String? {
        switch storage {
        case .off: return nil
        case .custom(let storage): return storage.cookieHeader(for: url, at: time.now)
        case .jar(let jar):
            if jar.isEmpty.load(ordering: .acquiring) { return nil }
            if let base, base.isOrigin(of: url.absoluteString) {
                return jar.cookieHeader(for: base.host, url, at: time.now)
            }
            return jar.cookieHeader(for: url, at: time.now)
        }
    }

    /// Replaces the cookies of a request by the present ones, before another attempt: a response may have changed them.
    /// Cookies that a later stage or an interceptor has set stay.
    func renew(_ request: inout HTTPRequest, _ attached: AttachedCookies) {
        let field = request.headers.all("Cookie")
        guard field.count <= 1, field.first.hasSameBytes(as: attached.field) else { return }
        request.headers.remove("Cookie")
        for value in attached.own { request.headers.append(name: "Cookie", value: value) }
        attach(to: &request)
    }
}

/// The field `Cookie` of a request, before and after the client's cookies were added.
struct AttachedCookies: Sendable {
    /// The fields that the request has by itself.
    var own: [String]
    var field: String?
    /// The user that the cookies belong to.
    var user: String?
}

/// Stores the cookies of each response, as it comes from the transport. A cached response sets no cookies.
struct CookieRecorder: Stage {
    let stage: CookieStage

    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut { .pass }

    /// Returns false if the outcome sets cookies.
    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool {
        Self.head(of: outcome).map { !$0.headers.contains("Set-Cookie") } ?? true
    }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        var request = request
        if let attached = context.values[AttachedCookies.self], context.attemptCount > 0 {
            stage.renew(&request, attached)
            // Checked after the cookies were read: they may be those of another user.
            guard context.isUserSignedIn, stage.storage.user.hasSameBytes(as: attached.user) else {
                throw RequestError.signedOut
            }
        }
        do {
            let response = try await next(request)
            record(.success(response), of: request, context)
            return response
        } catch {
            record(.failure(error), of: request, context)
            throw error
        }
    }

    /// Stores cookies, unless the user of the call has signed out meanwhile.
    private func record(
        _ outcome: Result<HTTPResponse, any Error>, of request: HTTPRequest, _ context: CallContext
    ) {
        guard context.isUserSignedIn, let response = Self.head(of: outcome) else { return }
        let fields = response.headers.all("Set-Cookie")
        guard !fields.isEmpty else { return }
        let (url, now) = (response.request?.url ?? request.url, stage.time.now)
        switch stage.storage {
        case .off: break
        case .jar(let jar):
            jar.decisions(about: fields, from: url, at: now, of: context.values[AttachedCookies.self]?.user)
        case .custom(let storage): storage.store(fields, from: url, at: now)
        }
    }

    /// Returns the response of an exchange, which may have failed after its head. That of a proxy is not from the server.
    private static func head(of outcome: Result<HTTPResponse, any Error>) -> HTTPResponse? {
        switch outcome {
        case .success(let response): return response.status.code == 407 ? nil : response
        case .failure(let error):
            guard let error = error as? RequestError, let response = error.response, response.status.code != 407,
                error.code != .proxyFailed, error.code != .proxyAuthenticationRequired
            else { return nil }
            return response
        }
    }
}
