import Foundation
import Tango
import TangoAuth
import TangoMeasuring

/// The clients of the library, with what they share: a cache on the disk, a token, and a waterfall.
struct Library: Sendable {
    /// Sends requests that need no user.
    let client: Client
    /// Sends requests of the user.
    let member: Client
    let waterfall: Waterfall

    private let oauth: OAuth2
    private let session: TokenAuthenticator

    init(options: Options) throws {
        // A command is a process of its own, so nothing would be left of a cache in memory.
        let store = try DiskStore(directory: options.data.appending(path: "cache"))
        let waterfall = Waterfall()
        self.waterfall = waterfall
        client = Client(baseURL: options.server, cache: store) {
            $0.headers = ["User-Agent": "reader/1.0", "Accept": "application/json"]
            // The cache responds to these directives itself, with the status 504 if it has no response.
            if options.isOffline { $0.headers["Cache-Control"] = "only-if-cached, max-stale" }
            $0.timeouts = Timeouts(connect: .seconds(5), idle: .seconds(20))
            $0.retryPolicy = .standard
            $0.errorSerializer = .json(Problem.self) { problem in problem.error }
            if options.drawsWaterfall { $0.observers.append(waterfall) }
            $0.observe { event in
                guard case .finished(let state, _) = event.kind else { return }
                Library.report(event.call, state, explains: options.explains)
            }
        }
        oauth = OAuth2(
            tokenURL: options.server.appending(path: "token"), client: OAuthClient(id: "reader"), grant: .refreshToken,
            revocationURL: options.server.appending(path: "revoke"))
        let session = TokenAuthenticator(oauth, store: .file(options.data.appending(path: "token.json")))
        self.session = session
        member = client.with { $0.authenticator = session }
    }

    func signIn(_ user: String, password: String) async throws {
        try await session.signIn(oauth.token(user: user, password: password, client: client))
    }

    func signOut() async throws {
        try await member.signOut()
    }

    /// Says where the response of a call comes from, if that is not its server, or why the call went as it did.
    private static func report(_ call: AnyCall, _ state: FinishedState, explains: Bool) {
        if explains {
            let reasons = call.explanation.map { "\($0)" } ?? "sent once, without the cache"
            let duration = call.timeline.duration ?? .zero
            say("\(call.name): \(state), \(duration.formatted(.units(allowed: [.milliseconds], width: .narrow)))")
            for line in reasons.split(separator: "\n") { say("  \(line)") }
        } else if case .cache(let age, isStale: true)? = call.response?.source {
            say("\(call.name): from the disk, \(age.components.seconds) s old")
        }
    }
}
