import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

#if os(Linux)
    import Glibc
    import TangoAuth
    import TangoCookies
#endif

/// The end of a session, with all that belongs to the user.
@Suite(.timeLimit(.minutes(20)))
struct EndOfUserTests {
    private let site: TokenSite
    private let files = ScratchFiles()

    init() throws {
        site = try TokenSite()
        site.server.answer { request in
            let token = request.headers["Authorization"]?.dropFirst("Bearer ".count) ?? "none"
            if token == "rejected" { return .status(401) }
            return .json(#"{"token": "\#(token)"}"#).header("Set-Cookie", "session=\(token); Max-Age=1000")
        }
    }

    private var cookieFile: URL { files.url.appending(path: "cookies") }
    private var storedCookies: String {
        get throws { String(decoding: try Data(contentsOf: cookieFile), as: UTF8.self) }
    }

    private func jar() throws -> CookieJar { try CookieJar(file: cookieFile, publicSuffixes: .list("com")) }

    /// Runs a function while another descriptor has the lock of a file.
    private func locked<Value>(_ path: String, _ work: () async throws -> Value) async throws -> Value {
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        return try await work()
    }

    // MARK: Cookies

    enum End: CaseIterable { case rejected, replaced, requested, elsewhere }

    /// No request of the next user has a cookie of the user before, neither of this client nor of another one.
    @Test(arguments: End.allCases)
    func cookiesLeaveWithTheUser(_ end: End) async throws {
        let store = TestStore(Token("alice"))
        let authenticator = site.authenticator(store: store)
        let jar = try jar()
        let client = site.client(authenticator) { $0.cookies = .jar(jar) }
        let other = site.client(authenticator) { $0.cookies = .jar }
        for client in [client, other] { #expect(try await site.call(client).value.token == "alice") }
        try await jar.save()
        #expect(try storedCookies.contains("alice"))
        #expect(other.configuration.cookies.jar?.cookies.count == 1)

        switch end {
        case .requested: try await client.signOut()
        case .replaced: break
        case .rejected, .elsewhere:
            if end == .rejected {
                site.source.fail(ScriptedSource.Refused(text: "invalid_grant"))
                site.source.decide(.signOut)
            } else {
                store.set(nil)
            }
            site.server.answer("/expired", with: .status(401))
            let error = await refusal(of: site.call(client, "/expired").promise)
            #expect(error?.code == .signedOut || error?.code == .signInRequired)
        }
        let count = site.server.requestCount
        try await authenticator.signIn(Token("bob"))
        for client in [client, other] { #expect(try await site.call(client).value.token == "bob") }
        for request in site.server.requests.dropFirst(count) { #expect(request.headers["Cookie"] == nil) }
        try await jar.save()
        #expect(try !storedCookies.contains("alice"))
    }

    @Test func customStorageTakesPart() async throws {
        final class Storage: CookieStorage {
            let removals = Atomic(0)
            func cookieHeader(for url: URL, at date: Date) -> String? { nil }
            func store(_ fields: [String], from url: URL, at date: Date) {}
            func removeAll() async throws { removals.add(1, ordering: .relaxed) }
        }
        let storage = Storage()
        let client = site.client(site.authenticator(Token("alice"))) { $0.cookies = .custom(storage) }
        try await client.signOut()
        #expect(storage.removals.load(ordering: .relaxed) == 1)
    }

    @Test func cookiesHaveLeftTheFileWhenSignOutReturns() async throws {
        let jar = try jar()
        let client = Client(baseURL: site.server.url) { $0.cookies = .jar(jar) }
        _ = try await site.call(client).value
        try await jar.save()
        #expect(try storedCookies.contains("session"))
        try await client.signOut()
        #expect(try !storedCookies.contains("session"))
    }

    #if os(Linux)
        /// The process ends right after the sign-out, without running anything else.
        @Test func processMayEndRightAfterASignOut() async throws {
            for _ in 0..<10 {
                let jar = try jar()
                jar.store(
                    ["session=alice; Max-Age=1000"], from: URL(string: "https://example.com/") ?? cookieFile, at: Date()
                )
                try await jar.save()
                #expect(try storedCookies.contains("alice"))
                let child = try await RequestChild("signOutAndExit", cookieFile.path)
                #expect(child["signedOut"] == "yes")
                #expect(try !storedCookies.contains("alice"))
            }
        }
    #endif

    // MARK: Locks

    /// All waits for the lock of a file have a deadline, and then the error names the file.
    @Test func lockedFilesFailAfterADeadline() async throws {
        let limit = LockWait(limit: .milliseconds(50))
        try await LockWait.$forWriting.withValue(limit) {
            try await LockWait.$forRequesting.withValue(limit) {
                let tokens = FileTokenStore(files.url.appending(path: "token"))
                let jar = try jar()
                let authenticator = TokenAuthenticator(site.source, store: tokens)
                try await authenticator.signIn(Token("alice"))
                let memory = MemoryStore()
                let client = site.client(authenticator, cache: memory) { $0.cookies = .jar(jar) }
                _ = try await site.call(client).value
                await client.finishStoring()
                try await jar.save()

                try await locked(cookieFile.path) {
                    jar.store(["a=1; Max-Age=1000"], from: site.server.url, at: Date())
                    let error = await #expect(throws: CookieJarError.self) { try await jar.save() }
                    #expect(
                        error?.message
                            == "another process has locked \(cookieFile.path).lock for too long: end that process")
                    // All the rest is done.
                    await #expect(throws: CookieJarError.self) { try await client.signOut() }
                    #expect(jar.cookies.isEmpty)
                    #expect(authenticator.token == nil)
                    let left = try tokens.load()
                    #expect(left == nil)
                    #expect(memory.entryCount == 0)
                    await client.shutdown()
                }
                #expect(jar.problem?.message.contains("has locked") == true)
                try await jar.save()
                #expect(try !storedCookies.contains("alice"))
                #expect(jar.problem == nil)
            }
        }
    }

    /// The token stays in the file, and no call is sent with it.
    @Test func signOutThatCannotRemoveTheTokenForgetsItAllTheSame() async throws {
        let limit = LockWait(limit: .milliseconds(50))
        try await LockWait.$forRequesting.withValue(limit) {
            let url = files.url.appending(path: "token")
            let tokens = FileTokenStore(url)
            let authenticator = TokenAuthenticator(
                OAuth2(tokenURL: site.server.url, client: OAuthClient(id: "app"), grant: .refreshToken), store: tokens)
            try await authenticator.signIn(Token("alice", refreshToken: "r"))
            let client = site.client(authenticator)
            _ = try await site.call(client).value
            try await locked(url.path) {
                let error = await #expect(throws: TokenStoreError.self) { try await client.signOut() }
                #expect(error?.code == .busy)
                let left = try tokens.load()
                #expect(left?.token.value == "alice")
                #expect(await refusal(of: site.call(client).promise) != nil)
            }
            let count = site.server.requestCount
            #expect(await refusal(of: site.call(client).promise)?.code == .signInRequired)
            #expect(site.server.requestCount == count)
            // The removal was tried again.
            #expect(try tokens.load() == nil)
        }
    }

    // MARK: Failed saves

    @Test func tokenThatCouldNotBeSavedIsNewerThanTheStoredOne() async throws {
        struct Full: Error {}
        let now = Mutex(Date(timeIntervalSince1970: 1000))
        let store = TestStore(Token("a", expires: Date(timeIntervalSince1970: 900)))
        let authenticator = site.authenticator(store: store)
        let client = site.client(authenticator) { $0.now = { now.withLock(\.self) } }
        site.source.issue(
            Token("b", expires: Date(timeIntervalSince1970: 2000)),
            Token("c", expires: Date(timeIntervalSince1970: 9000)))
        store.fail(with: Full())
        #expect(try await site.call(client).value.token == "b")
        #expect(store.stored?.token.value == "a")
        // The next renewal is one of the token in memory, also if saving fails once more.
        now.withLock { $0 = Date(timeIntervalSince1970: 3000) }
        #expect(try await site.call(client).value.token == "c")
        #expect(site.source.replaced == ["a", "b"])
        // It is saved again by a later call, which does not wait for that.
        store.fail(with: nil)
        now.withLock { $0 = Date(timeIntervalSince1970: 3005) }
        #expect(try await site.call(client).value.token == "c")
        #expect(store.stored?.token.value == "a")
        now.withLock { $0 = Date(timeIntervalSince1970: 3020) }
        #expect(try await site.call(client).value.token == "c")
        while store.stored?.token.value != "c" { await Task.yield() }
        #expect(site.source.replaced == ["a", "b"])
        #expect(try await site.call(client).value.token == "c")
        #expect(store.log == ["saved c"])
    }

    // MARK: Several authenticators

    @Test func secondAuthenticatorForgetsWhenTheStoreSaysSo() async throws {
        let store = FileTokenStore(files.url.appending(path: "token"))
        let first = TokenAuthenticator(site.source, store: store)
        try await first.signIn(Token("alice"))
        let second = TokenAuthenticator(site.source, store: store)
        let memory = MemoryStore()
        let client = site.client(second, cache: memory)
        #expect(try await site.call(client).value.token == "alice")
        var causes = second.signOuts.makeAsyncIterator()
        let user = second.identity

        try await first.signOut(context: AuthenticationContext(client: client))
        site.server.answer("/expired", with: .status(401))
        #expect(await refusal(of: site.call(client, "/expired").promise)?.code == .signedOut)
        guard case .elsewhere? = await causes.next() else {
            Issue.record("no sign-out was reported")
            return
        }
        #expect(second.token == nil)
        #expect(second.identity != user)
        site.source.fail(RequestError.signInRequired)
        #expect(await refusal(of: site.call(client, "/expired").promise)?.code == .signInRequired)
        // The next user works in both. The call that finds the new token was started for no user.
        try await first.signIn(Token("bob"))
        #expect(await refusal(of: site.call(client).promise)?.code == .signedOut)
        #expect(try await site.call(client).value.token == "bob")
    }

    /// Both begin with an empty store. The calls of the second one that began for no user are those of the user whose token
    /// it finds, and end with that user.
    @Test(arguments: [false, true])
    func callsThatBeganForNoUserAreThoseOfTheUserInTheStore(isOneOfServices: Bool) async throws {
        let store = TestStore()
        let (first, second) = (site.authenticator(store: store), site.authenticator(store: store))
        let services: any Authenticator = .services([
            ServicePattern(site.server.url.absoluteString + "/"): second, "https://b.example": .bearer("other"),
        ])
        let memory = MemoryStore()
        let one = site.client(first)
        let two = site.client(isOneOfServices ? services : second, cache: memory)
        let (requested, held) = (Gate(), Gate())
        site.source.add { _, _ in
            try await requested.opened()
            return Token("carol")
        }
        site.server.answer("/fresh", with: .json(#"{"token": "fresh"}"#).header("Cache-Control", "max-age=1000"))
        site.server.answer("/held", with: .json(#"{"token": "held"}"#).held(by: held))
        let call = site.call(one)
        try await requested.reached()
        let (fresh, waiting) = (site.call(two, "/fresh"), site.call(two, "/held"))
        requested.open()
        #expect(try await call.value.token == "carol")
        #expect(try await fresh.value.token == "fresh")
        try await held.reached()
        // After a restart, a sign-out would not find what is cached for the identity of the first calls.
        await two.finishStoring()
        #expect(memory.entryCount == 0)
        _ = try await site.call(two, "/fresh").value
        await two.finishStoring()
        #expect(memory.entryCount == 1)
        try await one.signOut()
        #expect(await refusal(of: waiting.promise)?.code == .signedOut)
        #expect(memory.entryCount == 0)
        held.open()
    }

    // MARK: Passwords

    static let grants: [(OAuth2.Grant, String)] = [
        (.password(user: "ada", password: "secret"), "grant_type=password&username=ada&password=secret"),
        (.refreshToken("r-1234567"), "grant_type=refresh_token&refresh_token=r-1234567"),
    ]

    @Test(arguments: grants)
    func passwordIsNotUsedAfterASignOut(_ grant: OAuth2.Grant, _ form: String) async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.answer("/token", with: .json(TokenEndpoint.token))
        endpoint.server.answer("/data", with: .text("data"))
        var oauth = try endpoint.oauth(grant, client: OAuthClient(id: "app"))
        oauth.revocationURL = nil
        let session = TokenAuthenticator(oauth)
        let client = endpoint.client.with { $0.authenticator = session }
        #expect(try await client.get("/data", as: String.self).value == "data")
        try await client.signOut()
        let count = endpoint.server.requestCount
        #expect(await refusal(of: { try await client.get("/data", as: String.self).value })?.code == .signInRequired)
        #expect(endpoint.server.requestCount == count)
        // Another user can sign in.
        try await session.signIn(Token("b"))
        #expect(try await client.get("/data", as: String.self).value == "data")
    }

    @Test func nameAndPasswordOfAFormSignIn() async throws {
        let endpoint = try TokenEndpoint()
        let oauth = try endpoint.oauth(.refreshToken, client: OAuthClient(id: "app"))
        let session = TokenAuthenticator(oauth)
        endpoint.server.enqueue(
            .json(#"{"error":"invalid_grant","error_description":"bad secret"}"#, status: 400),
            .json(TokenEndpoint.token))
        let error = await #expect(throws: OAuthError.self) {
            try await oauth.token(user: "ada", password: "wr0ng-one", client: endpoint.client)
        }
        #expect(error?.code == .invalidGrant)
        #expect(error?.detail == "the name or the password is wrong, the server says: bad secret")
        _ = try await endpoint.server.next()
        try await session.signIn(oauth.token(user: "ada", password: "secret", client: endpoint.client))
        #expect(try await endpoint.form() == "grant_type=password&username=ada&password=secret&client_id=app")
        #expect(session.token?.value == "first")
    }

    // MARK: Reports

    @Test func signOutsAreReportedWithTheirCauses() async throws {
        let store = TestStore(Token("a"))
        let authenticator = site.authenticator(store: store)
        let client = site.client(authenticator)
        var causes = authenticator.signOuts.map { "\($0)" }.makeAsyncIterator()
        // The first sign-in after a sign-out signs out no user.
        try await client.signOut()
        #expect(await causes.next() == "requested")
        try await authenticator.signIn(Token("b"))
        try await authenticator.update(Token("rejected"))
        site.source.fail(ScriptedSource.Refused(text: "invalid_grant"))
        site.source.decide(.signOut)
        _ = await refusal(of: site.call(client).promise)
        #expect(await causes.next()?.hasPrefix("rejected(") == true)
        try await authenticator.signIn(Token("c"))
        try await authenticator.signIn(Token("d"))
        #expect(await causes.next() == "replaced")
    }
}
