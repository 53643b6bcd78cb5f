import Synchronization

/// The cookies that servers have set, by the rules of RFC 6265bis. It can be used from any thread.
///
/// ```swift
/// let jar = try CookieJar(file: folder.appendingPathComponent("cookies"))
/// let api = Client(baseURL: url) { $0.cookies = .jar(jar) }
/// ```
///
/// Clients that share a jar share its cookies. A jar decides by itself which host gets which cookie, so a redirect to
/// another host gets only the cookies of that host. Its rules:
///
/// - A cookie belongs to one host, or to a domain that the host belongs to, unless that is a public suffix: see
///   ``PublicSuffixes``. Names of hosts and cookies are compared by their bytes.
/// - Secure cookies are set and sent over `https`, and by servers on this device, such as `http://localhost`. Other
///   servers can neither replace nor hide them.
/// - A cookie lives for 400 days at most, and has at most 4096 bytes. A domain has at most 180 cookies, and a jar 3000.
/// - Cookies with longer paths are sent first, then older ones.
///
/// Its descriptions, and those of its cookies, show no value.
public final class CookieJar: Sendable {
    struct State {
        var table: CookieTable
        var identity: String
        var ready = ReadyCookies()
        var time: WallTime?
        var file: CookieFileState?
    }

    let state: Mutex<State>
    /// A Boolean value that indicates whether there are no cookies. It is read without the lock.
    let isEmpty = Atomic(true)
    let suffixes: PublicSuffixes
    let writer: CookieFileWriter?

    /// Creates an empty jar in memory.
    public convenience init(publicSuffixes: PublicSuffixes = .system) {
        self.init(suffixes: publicSuffixes, limits: CookieTable.Limits())
    }

    init(suffixes: PublicSuffixes, limits: CookieTable.Limits, writer: CookieFileWriter? = nil) {
        self.suffixes = suffixes
        self.writer = writer
        state = Mutex(
            State(
                table: CookieTable(suffixes, limits: limits), identity: UUID().uuidString,
                file: writer == nil ? nil : CookieFileState()))
    }

    /// The domains in which anyone can register names. See ``PublicSuffixes/isComplete``.
    public var publicSuffixes: PublicSuffixes { suffixes }

    /// A random text that stays the same until ``removeAll()``. It is stored with the cookies, and not sent.
    ///
    /// Cached responses of one identity are served to no other.
    public var identity: String { state.withLock(\.identity) }

    /// Takes the time of day of a client, unless the jar has one. By default, it is that of the system.
    func adopt(_ time: WallTime) {
        guard !time.isSystem else { return }
        state.withLock { state in
            if state.time == nil { state.time = time }
        }
    }

    var now: Date { state.withLock(\.time)?.now ?? Date() }

    // MARK: The cookies

    /// The cookies that have not expired, in the order in which they were set.
    public var cookies: [Cookie] {
        let now = now
        return state.withLock { $0.table.entries.map(\.cookie).filter { !$0.isExpired(at: now) } }
    }

    /// Returns the cookies that a request for a URL is sent with, in their order.
    public func cookies(for url: URL) -> [Cookie] {
        guard let host = CookieHost(url) else { return [] }
        let now = now
        let path = CookiePath.of(url)
        return state.withLock { $0.table.entries(for: host) }.map(\.cookie).filter {
            !$0.isExpired(at: now) && CookiePath.matches(path, $0.path)
        }
    }

    /// Stores a cookie of the application, in place of the one with the same name, domain and path. An expired cookie
    /// removes that one.
    ///
    /// - Throws: A ``CookieJarError`` if no server could set the cookie.
    public func set(_ cookie: Cookie) throws(CookieJarError) {
        if let problem = CookieDecision.problem(in: cookie, isPublicSuffix: suffixes.contains) {
            throw CookieJarError(
                message:
                    "the cookie \(cookie.name.debugDescription) of \(cookie.domain.debugDescription) \(problem.rawValue)"
            )
        }
        let now = now
        var cookie = cookie
        cookie.created = now
        cookie.expires = cookie.expires.map { min($0, now.addingTimeInterval(SetCookie.longestLife)) }
        change { state in
            state.table.set(cookie, at: now)
            return [cookie.key]
        }
    }

    /// Removes the cookie with the same name, domain and path. Returns false if there is none.
    @discardableResult
    public func remove(_ cookie: Cookie) -> Bool {
        var wasThere = false
        change { state in
            wasThere = state.table.remove(cookie.key) != nil
            return wasThere ? [cookie.key] : []
        }
        return wasThere
    }

    /// Removes the session cookies, as a browser does when it is closed.
    public func removeSessionCookies() {
        change { state in
            let keys = state.table.entries.filter { $0.cookie.expires == nil }.map(\.cookie.key)
            state.table.removeAll { $0.expires == nil }
            return keys
        }
    }

    /// Removes all cookies, and replaces the ``identity``: the user has signed out.
    public func removeAll() {
        change { state in
            state.table.removeAll { _ in true }
            state.file?.clear(state.identity)
            state.identity = UUID().uuidString
            return []
        }
    }

    /// Changes the table, and writes it to the file, if there is one. The closure returns the keys that it has changed.
    func change(_ body: (inout State) -> [Cookie.Key]) {
        let needsWriting = state.withLock { state in
            let keys = body(&state)
            state.ready.invalidate()
            isEmpty.store(state.table.count == 0, ordering: .releasing)
            return state.file?.changed(keys) ?? false
        }
        if needsWriting { writer?.schedule(self) }
    }
}

// MARK: Messages

extension CookieJar {
    /// Returns the value of the field `Cookie` for a URL; nil if no cookie is sent.
    public func cookieHeader(for url: URL, at date: Date) -> String? {
        guard !isEmpty.load(ordering: .acquiring), let host = CookieHost(url) else { return nil }
        return cookieHeader(for: host, url, at: date)
    }

    func cookieHeader(for host: CookieHost, _ url: URL, at now: Date) -> String? {
        state.withLock { $0.ready.header(for: host, path: CookiePath.of(url), at: now, of: &$0.table) }
    }

    /// Stores the cookies of a response: the values of its fields `Set-Cookie`, in order. Fields that RFC 6265bis rejects
    /// are ignored.
    ///
    /// - Parameters:
    ///   - fields: The values of the fields.
    ///   - url: The URL of the request.
    ///   - date: The time at which the response came.
    public func store(_ fields: [String], from url: URL, at date: Date) {
        _ = decisions(about: fields, from: url, at: date)
    }

    /// Stores the cookies of a response, and returns the decision about each.
    ///
    /// - Parameter user: The ``identity`` that the request was sent for. If it is another one by now, the user has signed
    ///   out, and nothing is stored.
    @discardableResult
    func decisions(about fields: [String], from url: URL, at now: Date, of user: String? = nil) -> [CookieDecision] {
        guard let host = CookieHost(url), !fields.isEmpty else { return [] }
        var decisions: [CookieDecision] = []
        let path = CookiePath.of(url)
        // The system's list may be read from a file, so that it is not used under the lock.
        var known: [String: Bool] = [:]
        let parsed = fields.map { SetCookie($0, at: now) }
        for case let field? in parsed where !field.domain.isEmpty && host.matches(domain: field.domain) {
            known[field.domain] = suffixes.contains(field.domain)
        }
        change { state in
            var keys: [Cookie.Key] = []
            if let user, !state.identity.hasSameBytes(as: user) { return keys }
            for field in parsed {
                let decision = CookieDecision.of(
                    field,
                    CookieDecision.Situation(
                        host: host, path: path, now: now, isPublicSuffix: { known[$0] ?? true },
                        hidesSecureCookie: state.table.hidesSecureCookie))
                decisions.append(decision)
                guard case .store(let cookie) = decision, state.table.set(cookie, at: now) else { continue }
                keys.append(cookie.key)
            }
            return keys
        }
        return decisions
    }
}

extension CookieJar: DescribedOnly {
    /// Such as `CookieJar, 2 cookies of 1 domain`.
    public var description: String {
        let cookies = cookies
        let domains = Set(cookies.map { ExactString($0.domain) }).count
        return "CookieJar, \(cookies.count) cookies of \(domains) domain\(domains == 1 ? "" : "s")"
    }
}
