import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoCache
import TangoCookies
import TangoMeasuring
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Users who sign out, and the responses of others.
@Suite(.timeLimit(.minutes(20)))
struct SigningOutTests {
    private let site: TokenSite

    init() throws {
        site = try TokenSite()
        site.server.answer { request in
            let token = request.headers["Authorization"]?.dropFirst("Bearer ".count) ?? "none"
            return .json(#"{"token": "\#(token)"}"#).header("Cache-Control", "max-age=86400")
        }
    }

    private func get(
        _ client: Client, _ policy: CachePolicy = .http, _ path: String = "/item", _ kind: Uniqueness = .allow
    ) -> Call<TokenSite.Item> {
        let request = Cached(.get(path), of: client, policy: policy)
        request.kind = kind
        return request.start()
    }

    final class Cached: Fetch<TokenSite.Item> {
        private let policy: CachePolicy

        init(_ place: Endpoint, of owner: Client, policy: CachePolicy) {
            self.policy = policy
            super.init(place, of: owner)
        }

        override var cachePolicy: CachePolicy { policy }
    }

    private static let policies = [CachePolicy.http, .cacheElseNetwork(maxAge: .seconds(3600))]

    // MARK: Identity

    @Test(arguments: policies)
    func cachedResponseNeedsNoToken(_ policy: CachePolicy) async throws {
        let now = Mutex(Date(timeIntervalSince1970: 1000))
        let authenticator = site.authenticator(Token("a", expires: Date(timeIntervalSince1970: 2000)))
        let client = site.client(authenticator, cache: MemoryStore()) { $0.now = { now.withLock { $0 } } }
        #expect(try await get(client, policy).value.token == "a")
        await client.finishStoring()
        now.withLock { $0 = Date(timeIntervalSince1970: 3000) }
        let call = get(client, policy)
        #expect(try await call.value.token == "a")
        #expect(call.response?.source.isCache == true)
        #expect(site.server.requestCount == 1)
        #expect(site.source.replaced.isEmpty)
    }

    @Test func rejectionsAreNotCached() async throws {
        site.server.answer("/item", with: .status(401).header("Cache-Control", "max-age=86400"))
        site.source.fail(ScriptedSource.Refused(text: "no"))
        let client = site.client(site.authenticator(Token("a")), cache: MemoryStore())
        #expect(await refusal(of: get(client).promise)?.response?.status == .unauthorized)
        site.source.issue(Token("b"))
        site.server.answer("/item", with: .json(#"{"token": "b"}"#))
        #expect(try await get(client).value.token == "b")
    }

    @Test(arguments: policies)
    func newTokenOfTheSameUserFindsTheCachedResponse(_ policy: CachePolicy) async throws {
        let authenticator = site.authenticator(Token("a"))
        let client = site.client(authenticator, cache: MemoryStore())
        _ = try await get(client, policy).value
        await client.finishStoring()
        try await authenticator.update(Token("b"))
        #expect(try await get(client, policy).value.token == "a")
        #expect(site.server.requestCount == 1)
    }

    @Test(arguments: policies)
    func anotherUserNeverGetsTheCachedResponse(_ policy: CachePolicy) async throws {
        let authenticator = site.authenticator(Token("a"))
        let client = site.client(authenticator, cache: MemoryStore())
        _ = try await get(client, policy).value
        await client.finishStoring()
        try await authenticator.signIn(Token("b"))
        #expect(try await get(client, policy).value.token == "b")
    }

    @Test func identityIsStoredWithTheToken() async throws {
        let store = TestStore()
        site.source.issue(Token("a"))
        let authenticator = site.authenticator(store: store)
        _ = try await get(site.client(authenticator)).value
        #expect(store.stored?.identity == authenticator.identity)
        #expect(site.authenticator(store: store).identity == authenticator.identity)
    }

    @Test func identityOfTheConfigurationWins() async throws {
        let memory = MemoryStore()
        let authenticator = site.authenticator(Token("a"))
        let first = site.client(authenticator, cache: memory) { $0.identity = "ada" }
        _ = try await get(first).value
        await first.finishStoring()
        try await authenticator.signIn(Token("b"))
        #expect(try await get(first).value.token == "a")
    }

    // MARK: Signing out

    @Test(arguments: policies)
    func cachedResponsesAreRemovedFromMemoryAndDisk(_ policy: CachePolicy) async throws {
        let files = ScratchFiles()
        let disk = try DiskStore(directory: files.url)
        let store = TieredStore(memory: MemoryStore(), over: disk)
        let tokens = TestStore(Token("a"))
        let client = site.client(site.authenticator(store: tokens), cache: store)
        _ = try await get(client, policy).value
        await client.finishStoring()
        #expect(try await disk.statistics().count > 0)
        try await client.signOut()
        #expect(try await disk.statistics().count == 0)
        #expect(tokens.log == ["removed"])
        #expect(site.source.revoked == ["a"])
    }

    /// Another process may have renewed the token. The server knows nothing of the older one any more.
    @Test func tokenThatIsRemovedIsTheOneThatIsRevoked() async throws {
        let tokens = TestStore(Token("a"))
        let client = site.client(site.authenticator(store: tokens))
        _ = try await get(client).value
        tokens.set(StoredToken(token: Token("b"), identity: tokens.stored?.identity ?? ""))
        try await client.signOut()
        #expect(tokens.stored == nil)
        #expect(site.source.revoked == ["b"])
    }

    @Test func tokenThatCouldNotBeSavedIsRevoked() async throws {
        struct Full: Error {}
        let tokens = TestStore(Token("a", expires: Date(timeIntervalSince1970: 900)))
        let client = site.client(site.authenticator(store: tokens))
        site.source.issue(Token("b"))
        tokens.fail(with: Full())
        #expect(try await get(client).value.token == "b")
        tokens.fail(with: nil)
        try await client.signOut()
        #expect(tokens.stored == nil)
        #expect(site.source.revoked == ["b"])
    }

    /// A database keeps what it removed in its log and in free pages, unless it is told not to.
    @Test(arguments: [true, false])
    func noFileOfTheCacheHasAResponseOfTheUser(_ isTiered: Bool) async throws {
        let files = ScratchFiles()
        let disk = try DiskStore(directory: files.url)
        let client = site.client(
            site.authenticator(Token("a")), cache: isTiered ? TieredStore(memory: MemoryStore(), over: disk) : disk)
        let round = Mutex(0)
        site.server.answer { request in
            // In the row, in further pages, and in a file of its own.
            let size = Int(request.path.split(separator: "-").last ?? "") ?? 0
            let text = "private-\(round.withLock(\.self)) "
            return .text(String(repeating: text, count: size / text.utf8.count + 1))
                .header("Cache-Control", "max-age=86400")
        }
        let paths = (0..<30).flatMap { number in [50, 3000, 12_000, 40_000].map { "/page-\(number)-\($0)" } }
        for _ in 1...2 {
            round.withLock { $0 += 1 }
            for path in paths { _ = try await Fetch<String>(.get(path), of: client).promise.value }
            await client.finishStoring()
            // The pages of the first round are replaced or removed before the sign-out.
            for path in paths.prefix(60) { _ = try await Fetch<String>(.get(path), of: client).evict() }
        }
        #expect(try filesWith("private-", in: files.url) > 0)
        try await client.signOut()
        #expect(try filesWith("private-", in: files.url) == 0)
        withExtendedLifetime(disk) {}
    }

    private func filesWith(_ text: String, in folder: URL) throws -> Int {
        let all =
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
        return all.filter { (try? Data(contentsOf: $0))?.firstRange(of: Data(text.utf8)) != nil }.count
    }

    /// Damaged files are renamed, and still have what they had.
    @Test(arguments: [true, false])
    func damagedFilesAreRemovedToo(_ isRequested: Bool) async throws {
        let files = ScratchFiles()
        for name in ["token", "cookies"] { _ = try files.file(name, Data("the secret of Ada".utf8)) }
        let jar = try CookieJar(file: files.url.appending(path: "cookies"))
        let authenticator = site.authenticator(store: .file(files.url.appending(path: "token")))
        let client = site.client(authenticator) { $0.cookies = .jar(jar) }
        if isRequested {
            #expect(authenticator.token == nil)
            try await client.signOut()
        } else {
            // The token in the file is found to be damaged when it is to be renewed, and the user is signed out.
            try await authenticator.update(Token("a"))
            _ = try files.file("token", Data("the secret of Ada".utf8))
            site.server.answer(with: .status(401))
            site.source.decide(.signOut)
            #expect(await refusal(of: site.call(client).promise)?.code == .signInRequired)
            // It begins when the user has been signed out.
            try await authenticator.update(Token("c"))
        }
        for file in try FileManager.default.contentsOfDirectory(at: files.url, includingPropertiesForKeys: nil) {
            #expect(try !String(decoding: Data(contentsOf: file), as: UTF8.self).contains("Ada"), "\(file)")
        }
    }

    @Test func callsInFlightFailAndAreNotCached() async throws {
        let gate = Gate()
        site.server.answer(
            "/item", with: .json(#"{"token": "a"}"#).header("Cache-Control", "max-age=86400").held(by: gate))
        let authenticator = site.authenticator(Token("a"))
        let memory = MemoryStore()
        let client = site.client(authenticator, cache: memory)
        let other = site.client(authenticator, cache: memory)
        let calls = [get(client), get(other)]
        try await gate.reached(count: 2)
        try await client.signOut()
        for call in calls {
            let error = await refusal(of: call.promise)
            #expect(error?.code == .signedOut)
        }
        gate.open()
        await client.finishStoring()
        #expect(memory.entryCount == 0)
    }

    /// A cached response is no way out of a sign-out.
    @Test func callsInFlightGetNoCachedResponse() async throws {
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) { $0.identity = UUID().uuidString }
        let policy = CachePolicy.networkElseCache(maxAge: .seconds(3600))
        _ = try await get(client, policy).value
        await client.finishStoring()
        let gate = Gate()
        site.server.answer("/item", with: .json(#"{"token": "b"}"#).held(by: gate))
        let call = get(client, policy)
        try await gate.reached()
        try await client.signOut()
        #expect(await refusal(of: call.promise)?.code == .signedOut)
        gate.open()
    }

    /// With observers, the whole list runs. Without, the transport starts on the caller's thread.
    @Test(arguments: [true, false])
    func responseOfTheUserBeforeIsNeitherDeliveredNorCached(_ isObserved: Bool) async throws {
        let gate = Gate()
        site.server.answer("/item") { request in
            let token = request.headers["Authorization"]?.dropFirst("Bearer ".count) ?? "none"
            let response = Response.json(#"{"token": "\#(token)"}"#).header("Cache-Control", "max-age=86400")
            return token == "a" ? response.held(by: gate) : response
        }
        let authenticator = site.authenticator(Token("a"))
        let memory = MemoryStore()
        let client = site.client(authenticator, cache: memory) {
            if isObserved { $0.observers = [Facts().observer()] }
        }
        let call = get(client, .networkElseCache(maxAge: .seconds(100)))
        try await gate.reached()
        try await authenticator.signIn(Token("b"))
        gate.open()
        #expect(await refusal(of: call.promise)?.code == .signedOut)
        await client.finishStoring()
        #expect(memory.entryCount == 0)
        #expect(try await get(client).value.token == "b")
    }

    @Test func callsOfAnotherUserDoNotShareATransfer() async throws {
        let gate = Gate()
        site.server.answer("/item") { request in
            let token = request.headers["Authorization"]?.dropFirst("Bearer ".count) ?? "none"
            let response = Response.json(#"{"token": "\#(token)"}"#)
            return token == "a" ? response.held(by: gate) : response
        }
        let authenticator = site.authenticator(Token("a"))
        let client = site.client(authenticator)
        let first = get(client, .networkOnly, "/item", .join)
        try await gate.reached()
        try await authenticator.signIn(Token("b"))
        #expect(try await get(client, .networkOnly, "/item", .join).value.token == "b")
        gate.open()
        #expect(await refusal(of: first.promise)?.code == .signedOut)
    }

    /// An authenticator that takes its time to forget.
    private final class Slow: Authenticator {
        let gate = Gate()
        private let user = Mutex(UUID().uuidString)

        var identity: String? { user.withLock { $0 } }

        func authorize(_ request: HTTPRequest, context: AuthenticationContext) -> Authorization { .ready(request) }

        func signOut(context: AuthenticationContext) async throws {
            try await gate.opened()
            user.withLock { $0 = UUID().uuidString }
        }
    }

    @Test func callsThatStartDuringASignOutFailToo() async throws {
        let answer = Gate()
        let slow = Slow()
        site.server.answer("/item", with: .json(#"{"token": "a"}"#).held(by: answer))
        let client = site.client(slow)
        let signOut = Task { try await client.signOut() }
        try await slow.gate.reached()
        let call = get(client)
        try await answer.reached()
        slow.gate.open()
        try await signOut.value
        #expect(call.state == .finished(.failure))
        #expect(await refusal(of: call.promise)?.code == .signedOut)
        answer.open()
    }

    @Test func callsOfOtherUsersGoOn() async throws {
        let gate = Gate()
        site.server.answer("/item", with: .json(#"{"token": "a"}"#).held(by: gate))
        let client = site.client(site.authenticator(Token("a")))
        let other = site.client(site.authenticator(Token("b")))
        let call = get(other)
        try await gate.reached()
        try await client.signOut()
        gate.open()
        #expect(try await call.value.token == "a")
    }

    @Test func signingOutWithoutAnAuthenticatorEndsTheUserOfTheConfiguration() async throws {
        let memory = MemoryStore()
        let client = Client(baseURL: site.server.url, cache: memory) { $0.identity = UUID().uuidString }
        _ = try await get(client).value
        await client.finishStoring()
        try await client.signOut()
        #expect(memory.entryCount == 0)
    }

    @Test func tokenThatCannotBeRevokedIsForgottenAllTheSame() async throws {
        struct Unreachable: Error {}
        struct Stubborn: TokenSource {
            func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token { Token("c") }
            func revoke(_ token: Token, context: AuthenticationContext) async throws { throw Unreachable() }
        }
        let store = TestStore(Token("a"))
        let memory = MemoryStore()
        let client = site.client(TokenAuthenticator(Stubborn(), store: store), cache: memory)
        _ = try await get(client).value
        await client.finishStoring()
        await #expect(throws: Unreachable.self) { try await client.signOut() }
        #expect(store.log == ["removed"])
        #expect(memory.entryCount == 0)
    }

    @Test func signOutFinishesAlthoughItsTaskIsCancelled() async throws {
        let store = TestStore(Token("a"))
        let client = site.client(site.authenticator(store: store))
        let task = Task { try await client.signOut() }
        task.cancel()
        try await task.value
        #expect(store.log == ["removed"])
        #expect(site.source.revoked == ["a"])
    }

    @Test func tokenOfNoUseSignsTheUserOut() async throws {
        site.server.answer("/private") { request in
            request.headers["Authorization"] == "Bearer c" ? .json(#"{"token": "c"}"#) : .status(401)
        }
        let store = TestStore(Token("a"))
        let memory = MemoryStore()
        let authenticator = site.authenticator(store: store)
        let client = site.client(authenticator, cache: memory)
        _ = try await get(client).value
        await client.finishStoring()
        let user = authenticator.identity
        site.source.fail(ScriptedSource.Refused(text: "invalid_grant"))
        site.source.decide(.signOut)
        let error = try #require(await refusal(of: get(client, .http, "/private").promise))
        #expect(error.code == .signInRequired || error.code == .signedOut)
        #expect(store.stored == nil)
        #expect(authenticator.identity != user)
        while memory.entryCount > 0 { await Task.yield() }
        try await authenticator.signIn(Token("c"))
        #expect(try await get(client, .http, "/private").value.token == "c")
    }

    /// Two users alternate at random moments. No response ever belongs to the other one.
    @Test func usersWhoAlternateNeverGetEachOthersResponses() async throws {
        let files = ScratchFiles()
        let store = TieredStore(memory: MemoryStore(), over: try DiskStore(directory: files.url))
        let authenticator = site.authenticator(store: TestStore())
        let client = site.client(authenticator, cache: store)
        let wrong = Mutex<[String]>([])
        var generator = SystemRandomNumberGenerator()
        for round in 0..<(isLongRun ? 5000 : 300) {
            let user = round % 2 == 0 ? "ada" : "bob"
            try await authenticator.signIn(Token("\(user)\(round)"))
            let policies: [CachePolicy] = [
                .http, .cacheElseNetwork(maxAge: .seconds(3600)), .networkElseCache(maxAge: .seconds(3600)),
            ]
            let calls = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                get(
                    client, policies.randomElement(using: &generator) ?? .http, "/item",
                    Bool.random(using: &generator) ? .join : .allow)
            }
            let isAwaited = Bool.random(using: &generator)
            func check(_ call: Call<TokenSite.Item>) async {
                guard let token = try? await call.value.token, !token.hasPrefix(user) else { return }
                wrong.withLock { $0.append("\(round): \(token)") }
            }
            if isAwaited { for call in calls { await check(call) } }
            if Bool.random(using: &generator) { try await client.signOut() }
            // What was in flight may still succeed, but only with the user's own response.
            for call in calls { await check(call) }
        }
        #expect(wrong.withLock(\.self).isEmpty)
    }
}
