import LoopbackServer
import Synchronization
import TangoAuth
import TangoRequest
import Testing

@testable import TestSupport

/// The settings that keep calls with the same message from sharing a transfer.
@Suite(.timeLimit(.minutes(20))) struct JoinedSettingsTests {
    /// A request whose settings can be changed one by one.
    private final class Tuned: Fetch<String> {
        var redirects: RedirectPolicy?
        var retries: RetryPolicy?
        var wait: Duration?
        var kinds: NetworkKinds?
        var servers: ServerTrust?
        var policy: CachePolicy?

        override var redirectPolicy: RedirectPolicy { redirects ?? super.redirectPolicy }
        override var retryPolicy: RetryPolicy { retries ?? super.retryPolicy }
        override var waitsForConnectivity: Duration? { wait }
        override var networks: NetworkKinds { kinds ?? super.networks }
        override var trust: ServerTrust { servers ?? super.trust }
        override var cachePolicy: CachePolicy { policy ?? super.cachePolicy }
    }

    private struct Silent: CallObserver {
        func observe(_ event: CallEvent) {}
    }

    private struct Setting: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (Tuned) -> Void

        init(_ name: String, _ change: @escaping @Sendable (Tuned) -> Void) {
            testDescription = name
            self.change = change
        }

        static let all = [
            Setting("limit") { $0.limit = 1_000 },
            Setting("timeouts") { $0.times = Timeouts(idle: .seconds(9)) },
            Setting("redirects") { $0.redirects = .refuse },
            Setting("retries") { $0.retries = .never },
            Setting("connectivity") { $0.wait = .seconds(9) },
            Setting("networks") { $0.kinds = [] },
            Setting("trust") { $0.servers = .hosts(["example.com": .system]) },
            Setting("cache policy") { $0.policy = .http },
            Setting("tags") { $0.words = ["a"] },
            Setting("identifier") { $0.name = "a" },
            Setting("observers") { $0.watchers = [Silent()] },
            Setting("redaction") { $0.place = $0.place.redacting("a-12345") },
        ]
    }

    @Test(arguments: Setting.all) private func callsWithAnotherSettingAreNotJoined(_ setting: Setting) async throws {
        let site = try Site()
        let held = Gate()
        site.server.answer("/a", with: .text("a").held(by: held))
        let client = site.client(uniqueness: .join)
        let plain = [Tuned(.get("/a"), of: client), Tuned(.get("/a"), of: client)]
        let changed = [Tuned(.get("/a"), of: client), Tuned(.get("/a"), of: client)]
        for request in changed { setting.change(request) }
        // A call joins a transfer before this returns.
        let calls = (plain + changed).map { $0.start() }
        held.open()
        for call in calls { #expect(try await call.value == "a") }
        #expect(site.server.requests.count == 2)
    }

    /// A limit on the whole call does not concern the transfer.
    @Test func callsWithAnotherTotalLimitAreJoined() async throws {
        let site = try Site()
        let held = Gate()
        site.server.answer("/a", with: .text("a").held(by: held))
        let client = site.client(uniqueness: .join)
        let (plain, limited) = (Tuned(.get("/a"), of: client), Tuned(.get("/a"), of: client))
        limited.times = client.configuration.timeouts
        limited.times?.total = .seconds(600)
        let calls = [plain, limited].map { $0.start() }
        held.open()
        for call in calls { #expect(try await call.value == "a") }
        #expect(site.server.requests.count == 1)
    }

    /// Credentials whose user changes without a sign-in.
    private final class Users: Authenticator {
        private let user = Mutex("ada")

        var identity: String? { user.withLock { $0 } }

        func change(to name: String) {
            user.withLock { $0 = name }
        }

        func authorize(_ request: HTTPRequest, context: AuthenticationContext) -> Authorization { .ready(request) }
    }

    @Test func callsOfAnotherUserAreNotJoined() async throws {
        let site = try Site()
        let held = Gate()
        site.server.answer("/a", with: .text("a").held(by: held))
        let users = Users()
        let client = Client(baseURL: site.server.url) {
            $0.uniqueness = .join
            $0.authenticator = users
        }
        let ada = Fetch<String>(.get("/a"), of: client).start()
        try await held.reached(count: 1)
        users.change(to: "bob")
        let bob = Fetch<String>(.get("/a"), of: client).start()
        held.open()
        #expect(try await bob.value == "a")
        #expect(await refusal(of: ada.promise)?.code == .signedOut)
        #expect(site.server.requests.count == 2)
    }

    /// The call that wants two values may have delivered a cached one, so it needs a new response.
    @Test func callsForTwoValuesAreNotJoinedWithOthers() async throws {
        let site = try Site()
        let held = Gate()
        site.server.answer("/a", with: .text("a").held(by: held))
        let client = site.client(uniqueness: .join)
        let values = Fetch<String>(.get("/a"), of: client).values
        let following = Task { try await values.reduce(into: []) { $0.append($1) } }
        try await held.reached(count: 1)
        let call = Fetch<String>(.get("/a"), of: client).start()
        held.open()
        #expect(try await call.value == "a")
        #expect(try await following.value == ["a"])
        #expect(site.server.requests.count == 2)
    }
}
