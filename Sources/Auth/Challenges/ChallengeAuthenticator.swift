import Synchronization

/// Responds to the challenges of servers with the name and the password of a user: `Digest` (RFC 7616) and, if allowed, `Basic`.
///
/// It responds to the strongest challenge: `Digest` with SHA-512-256, with SHA-256, with MD5, then `Basic`. `Basic` shows the
/// password to everyone who can read the request, so it is sent over `https` and to this device only.
///
/// The first request to a server is sent without credentials. Later requests use the nonce of the server, with a counter,
/// until the server replaces it. A server that requires the integrity of the body (`auth-int`) gets it for bodies in
/// memory and files.
///
/// If the server rejects the credentials, the status 401 is the response of the call. If the authenticator supports none of the
/// challenges, the call fails with `RequestError.Code.unsupportedChallenge`, and the error names the schemes.
///
/// Its identity is random, and made with the authenticator: authenticators do not share cached responses.
public final class ChallengeAuthenticator: SecretHolder {
    private struct State {
        var credentials: FixedCredentials<UserPassword>
        var spaces = ProtectionSpaces()
    }

    private let state: Mutex<State>
    private let allowsBasic: Bool
    private let allowsBasicOverHTTP: Bool
    private let clientNonce: @Sendable () -> String
    let secrets: KnownSecrets
    public let problem: String?

    /// The number of rejections in one call after which the last one is the response.
    private static let rejectionLimit = 3

    /// Creates an authenticator. Requests fail with `RequestError.Code.badPolicy` if the name of the user has a colon.
    ///
    /// - Parameters:
    ///   - user: The name of the user.
    ///   - password: The password of the user.
    ///   - allowsBasic: If false, it responds to `Digest` only.
    ///   - allowsBasicOverHTTP: If true, it responds to `Basic` over `http` too, for any server.
    ///   - clientNonce: Returns a text for each request that no attacker can guess. Tests set it.
    public init(
        user: String, password: String, allowsBasic: Bool = true, allowsBasicOverHTTP: Bool = false,
        clientNonce: (@Sendable () -> String)? = nil
    ) {
        let value = UserPassword(user: user, password: password)
        state = Mutex(State(credentials: FixedCredentials(value)))
        secrets = KnownSecrets(value.secrets)
        self.allowsBasic = allowsBasic
        self.allowsBasicOverHTTP = allowsBasicOverHTTP
        self.clientNonce = clientNonce ?? { [UInt8].random(16).hexadecimal }
        problem = value.problem
    }

    // MARK: Requests

    public func authorize(_ request: HTTPRequest, context: AuthenticationContext) -> Authorization {
        let (value, scheme) = state.withLock { ($0.credentials.value, $0.spaces.scheme(for: request.url)) }
        guard let value, let scheme else { return .ready(request) }
        // What takes time, or fails, is left to the task of the call.
        if case .digest(let challenge) = scheme {
            guard !challenge.protection.coversBody || request.body.isInMemory else { return .waits }
        }
        guard let turn = turn(for: request.url) else { return .ready(request) }
        guard let digest = try? request.body.digestInMemory(turn),
            let ready = try? withCredentials(request, turn, value, digest)
        else { return .waits }
        return .ready(ready)
    }

    public func authorized(_ request: HTTPRequest, context: AuthenticationContext) async throws -> HTTPRequest {
        guard let value = state.withLock({ $0.credentials.value }), let turn = turn(for: request.url) else {
            return request
        }
        return try await withCredentials(request, turn, value)
    }

    private func turn(for url: URL) -> ProtectionSpaces.Turn? {
        let nonce = clientNonce()
        return state.withLock { $0.spaces.turn(for: url, clientNonce: nonce) }
    }

    public func replacement(
        for request: HTTPRequest, rejectedBy response: HTTPResponse, context: AuthenticationContext
    ) async throws -> HTTPRequest? {
        guard let value = state.withLock({ $0.credentials.value }) else { return nil }
        let challenges = response.challenges
        let sent = request.headers["Authorization"].flatMap { Challenge.all(in: [$0]).first }
        guard !challenges.isEmpty, context.rejections < Self.rejectionLimit else { return nil }
        let open = challenges.open(after: sent)
        guard !open.isEmpty else {
            state.withLock { $0.spaces.remove(for: request.url) }
            return nil
        }
        let nonce = clientNonce()
        let scheme: ProtectionSpaces.Scheme
        let realm: String
        switch ChallengeChoice(open, allowsBasic: allowsBasic, isPrivate: isPrivate(request.url)) {
        case .digest(let challenge): (scheme, realm) = (.digest(challenge), challenge.realm.text)
        case .basic(let name): (scheme, realm) = (.basic, name)
        case .none(let reason): throw RequestError(unsupported: reason, response, of: request)
        }
        let turn = state.withLock { $0.spaces.challenged(scheme, realm: realm, for: request.url, clientNonce: nonce) }
        return try await withCredentials(request, turn, value)
    }

    private func isPrivate(_ url: URL) -> Bool {
        guard !allowsBasicOverHTTP else { return true }
        guard let address = try? ServerAddress(url) else { return false }
        return address.isSecure || address.isThisDevice
    }

    // MARK: Credentials

    private func withCredentials(
        _ request: HTTPRequest, _ turn: ProtectionSpaces.Turn, _ value: UserPassword
    ) async throws -> HTTPRequest {
        guard case .digest(let challenge) = turn.scheme else { return try withCredentials(request, turn, value, nil) }
        do {
            let digest = challenge.protection.coversBody ? try await request.body.digest(challenge.hash) : nil
            guard challenge.protection != .body || digest != nil else {
                throw RequestError(
                    .unsupportedChallenge, phase: .prepare,
                    detail:
                        "the server requires the integrity of the body (auth-int), and the body is a stream: send data "
                        + "or a file", request: request)
            }
            return try withCredentials(request, turn, value, digest)
        } catch let error as MissingHash {
            throw RequestError(.unsupportedChallenge, phase: .prepare, detail: error.text, request: request)
        } catch let error as RequestEncodingError {
            throw RequestError(error)
        }
    }

    /// - Parameter digest: The digest of the body, if the credentials protect it.
    private func withCredentials(
        _ request: HTTPRequest, _ turn: ProtectionSpaces.Turn, _ value: UserPassword, _ digest: [UInt8]?
    ) throws(MissingHash) -> HTTPRequest {
        var request = request
        switch turn.scheme {
        case .basic: request.headers["Authorization"] = value.basic
        case .digest(let challenge):
            request.headers["Authorization"] = try DigestCredentials(
                challenge: challenge, user: value.user, password: value.password, method: request.method.rawValue,
                target: request.url.requestTarget, bodyDigest: digest?.hexadecimal, count: turn.count,
                clientNonce: turn.clientNonce
            ).header()
        }
        return request
    }

    /// Reads `nextnonce` of `Authentication-Info` (RFC 7616, 3.5).
    public func received(_ response: HTTPResponse, of request: HTTPRequest) {
        guard let info = response.headers.combined("Authentication-Info"),
            let nonce = Challenge.all(in: ["Digest \(info)"]).first?["nextnonce"],
            let sent = request.headers["Authorization"].flatMap({ Challenge.all(in: [$0]).first }), sent.isOf("Digest"),
            let realm = sent.realm
        else { return }
        state.withLock { $0.spaces.renew(nonce: nonce, realm: realm, for: request.url) }
    }

    // MARK: The user

    public var identity: String? { state.withLock { $0.credentials.identity } }

    /// Forgets the user, the password and all nonces. Later requests are sent without credentials.
    public func signOut(context: AuthenticationContext) async throws {
        _ = state.withLock { state in
            state.spaces = ProtectionSpaces()
            return state.credentials.forget()
        }
    }
}

extension ChallengeAuthenticator: DescribedOnly {
    public var description: String { "\(allowsBasic ? "Challenge" : "Digest") authenticator" }
}

extension Authenticator where Self == ChallengeAuthenticator {
    /// Responds to the strongest challenge of the server, `Digest` or `Basic`: see ``ChallengeAuthenticator``.
    ///
    /// ```swift
    /// let client = Client(baseURL: URL(string: "https://api.example.com")) {
    ///     $0.authenticator = .challenges(user: "ada", password: "secret")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - user: The name of the user.
    ///   - password: The password of the user.
    ///   - allowsBasicOverHTTP: If true, the password is also sent without encryption, to any server that requires
    ///     `Basic`.
    public static func challenges(
        user: String, password: String, allowsBasicOverHTTP: Bool = false
    ) -> ChallengeAuthenticator {
        ChallengeAuthenticator(user: user, password: password, allowsBasicOverHTTP: allowsBasicOverHTTP)
    }

    /// Responds to the `Digest` challenges of the server and no others: see ``ChallengeAuthenticator``.
    public static func digest(user: String, password: String) -> ChallengeAuthenticator {
        ChallengeAuthenticator(user: user, password: password, allowsBasic: false)
    }
}

extension Body {
    fileprivate var isInMemory: Bool {
        switch content {
        case .none, .data: true
        case .file, .stream: false
        }
    }

    /// Returns the digest that the credentials protect, of a body in memory; nil if it protects none.
    fileprivate func digestInMemory(_ turn: ProtectionSpaces.Turn) throws(MissingHash) -> [UInt8]?? {
        guard case .digest(let challenge) = turn.scheme, challenge.protection.coversBody else { return .some(nil) }
        return try digestInMemory(challenge.hash)
    }
}
