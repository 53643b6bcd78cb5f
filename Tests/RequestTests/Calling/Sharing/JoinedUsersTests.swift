import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoCookies
import TangoRequest
import Testing

@testable import TestSupport

/// Calls that would be sent with other cookies or other credentials share no transfer.
@Suite(.timeLimit(.minutes(20))) struct JoinedUsersTests {
    /// A server that holds each response, and returns the cookies and credentials of its request.
    private let site: Site
    private let gate = Gate()

    init() throws {
        site = try Site()
        site.server.answer { [gate] request in
            let text = "\(request.headers["Authorization"] ?? "-") \(request.headers["Cookie"] ?? "-")"
            return .text(text).held(by: gate)
        }
    }

    private func call(_ client: Client) -> Call<String> {
        let request = Fetch<String>(.get("/page", query: ["a": 1]), of: client)
        request.kind = .join
        return request.start()
    }

    /// Credentials without an identity, which the application replaces.
    private final class Anonymous: Authenticator {
        let user = Mutex("alice")

        func authorize(_ request: HTTPRequest, context: AuthenticationContext) -> Authorization {
            var request = request
            request.headers.set(name: "Authorization", value: user.withLock(\.self))
            return .ready(request)
        }
    }

    @Test func callsWithoutAnIdentityAreSentAlone() async throws {
        let users = Anonymous()
        let client = site.client().with { $0.authenticator = users }
        let first = call(client)
        try await gate.reached()
        users.user.withLock { $0 = "bob" }
        let second = call(client)
        try await gate.reached(count: 2)
        gate.open()
        #expect(try await first.value == "alice -")
        #expect(try await second.value == "bob -")
    }

    /// The identity stands for the credentials, and requests to other origins get none.
    @Test(arguments: [true, false]) func callsOfOneIdentityJoin(_ hasIdentity: Bool) async throws {
        let client = site.client().with {
            $0.authenticator = hasIdentity ? Anonymous() : .services(["https://other.example.com": Anonymous()])
            if hasIdentity { $0.identity = "alice" }
        }
        let calls = [call(client), call(client)]
        try await gate.reached()
        gate.open()
        for call in calls { #expect(try await call.value == (hasIdentity ? "alice -" : "- -")) }
        #expect(site.server.requestCount == 1)
    }

    enum Storage: CaseIterable { case jar, jarOfAnotherHost, custom }

    private final class Own: CookieStorage {
        let cookie = Mutex<String?>(nil)
        func cookieHeader(for url: URL, at date: Date) -> String? { cookie.withLock(\.self) }
        func store(_ fields: [String], from url: URL, at date: Date) {}
    }

    /// A sign-in sets a cookie while the page of a visitor is in flight.
    @Test(arguments: Storage.allCases) func callsWithOtherCookiesDoNotJoin(_ storage: Storage) async throws {
        let own = Own()
        let jar = CookieJar()
        let client = site.client().with {
            $0.cookies = storage == .custom ? .custom(own) : .jar(jar)
            $0.identity = "one"
        }
        let first = call(client)
        try await gate.reached()
        if storage == .jarOfAnotherHost {
            let other = try #require(URL(string: "https://example.com"))
            jar.store(["session=alice"], from: other, at: Date())
        } else {
            jar.store(["session=alice"], from: site.server.url, at: Date())
        }
        own.cookie.withLock { $0 = "session=alice" }
        let second = call(client)
        let third = call(client)
        let isShared = storage == .jarOfAnotherHost
        try await gate.reached(count: isShared ? 1 : 2)
        gate.open()
        #expect(try await first.value == "- -")
        #expect(try await second.value == (isShared ? "- -" : "- session=alice"))
        // Calls with the same cookies join.
        #expect(try await third.value == second.value)
        #expect(site.server.requestCount == (isShared ? 1 : 2))
    }
}
