import Foundation
import Synchronization
import TangoPromise
import TangoTesting
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Users who sign in and out while tokens are requested, with each kind of store.
@Suite(.timeLimit(.minutes(20)))
struct ChangingUsersTests {
    enum Kind: CaseIterable {
        case none, memory, own, file, encrypted

        func store(_ files: ScratchFiles) -> (any TokenStore)? {
            let url = files.url.appending(path: "token")
            switch self {
            case .none: return nil
            case .memory: return MemoryTokenStore()
            case .own: return TestStore()
            case .file: return FileTokenStore(url)
            case .encrypted: return EncryptedTokenStore(url, key: Data(0..<32))
            }
        }

        static let stores = allCases.filter { $0 != .none }
    }

    /// A source that renews the token of each user, and needs a user to begin with.
    private final class Renewals: TokenSource {
        private let count = Atomic(0)
        /// Waits before each token, also if the task is cancelled.
        let wait: @Sendable () async -> Void

        init(_ wait: @escaping @Sendable () async -> Void) {
            self.wait = wait
        }

        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
            guard let old else { throw RequestError.signInRequired }
            await wait()
            let number = count.add(1, ordering: .relaxed).newValue
            return Token("\(user(of: old))-\(number)")
        }
    }

    private static func user(of token: Token) -> String { String(token.value.prefix { $0 != "-" }) }

    private static func user(of request: HTTPRequest) -> String {
        let value = request.headers["Authorization"]?.dropFirst("Bearer ".count) ?? "none"
        return String(value.prefix { $0 != "-" })
    }

    /// A server that accepts a token as often as the closure says.
    private func client(
        _ authenticator: TokenAuthenticator, accepts: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true }
    ) -> Client {
        let transport = MockTransport()
        transport.stub(
            where: { _ in true },
            .made { request in accepts(request) ? .text(Self.user(of: request)) : .status(.unauthorized) })
        let minutes = Mutex(0.0)
        return Client(baseURL: URL(string: "https://api.example.com")) {
            $0.transport = transport
            $0.authenticator = authenticator
            // A minute for each look, so that the limit for tokens in a row is not reached.
            $0.now = {
                Date(
                    timeIntervalSince1970: minutes.withLock {
                        $0 += 60; return $0
                    })
            }
        }
    }

    private func call(_ client: Client) -> Call<String> { Fetch(.get("/"), of: client).start() }

    /// A change that waits for the lock of the store, while calls begin that need a token.
    @Test(arguments: Kind.stores, [true, false])
    func callsThatBeginDuringAChangeDoNotBringTheUserBack(_ kind: Kind, _ signsIn: Bool) async throws {
        let files = ScratchFiles()
        let store = try #require(kind.store(files))
        try await store.save(StoredToken(token: Token("alice"), identity: UUID().uuidString))
        let authenticator = TokenAuthenticator(Renewals {}, store: store, holdLimit: nil)
        let client = client(authenticator)
        #expect(try await call(client).value == "alice")

        let (isHeld, holding) = Promise<Void>.pending()
        let (mayEnd, ending) = Promise<Void>.pending()
        let holder = Task {
            try await store.exclusively {
                holding.fulfill(())
                try await mayEnd.value
            }
        }
        try await isHeld.value
        let change = Task {
            if signsIn { try await authenticator.signIn(Token("bob")) } else { try await client.signOut() }
        }
        while authenticator.token != nil { await Task.yield() }
        let calls = (0..<3).map { _ in call(client) }
        for call in calls { while call.state != .held { await Task.yield() } }
        ending.fulfill(())
        try await holder.value
        try await change.value

        #expect(authenticator.token?.value == (signsIn ? "bob" : nil))
        #expect(try store.load()?.token.value == (signsIn ? "bob" : nil))
        for call in calls {
            if signsIn {
                #expect(try await call.value == "bob")
            } else {
                #expect(await refusal(of: call.promise)?.code == .signInRequired)
            }
        }
        #expect(try store.load()?.token.value == (signsIn ? "bob" : nil))
    }

    /// The source goes on although its task is cancelled, and its token comes after the change.
    @Test(arguments: Kind.allCases, [true, false])
    func tokenThatArrivesAfterAChangeIsNotUsed(_ kind: Kind, _ signsIn: Bool) async throws {
        let files = ScratchFiles()
        let store = kind.store(files)
        let (arrival, arriving) = Promise<Void>.pending()
        let begun = Atomic(false)
        let finished = Atomic(false)
        let source = Renewals {
            begun.store(true, ordering: .releasing)
            // The source does not notice that it is cancelled.
            await Task.detached { _ = await arrival.result }.value
            finished.store(true, ordering: .releasing)
        }
        let authenticator = TokenAuthenticator(source, store: store, holdLimit: nil)
        try await authenticator.signIn(Token("alice"))
        let client = client(authenticator) { $0.headers["Authorization"] != "Bearer alice" }
        let call = call(client)
        while !begun.load(ordering: .acquiring) { await Task.yield() }

        if signsIn { try await authenticator.signIn(Token("bob")) } else { try await client.signOut() }
        arriving.fulfill(())
        while !finished.load(ordering: .acquiring) { await Task.yield() }
        #expect(await refusal(of: call.promise)?.code == .signedOut)
        // A further change has to wait for whatever still uses the store.
        try await store?.exclusively {}
        #expect(authenticator.token?.value == (signsIn ? "bob" : nil))
        #expect(try store?.load()?.token.value == (signsIn && store != nil ? "bob" : nil))
    }

    /// The one who signs out is not the user that another process has signed in by now.
    @Test(arguments: Kind.stores)
    func lateSignOutLeavesTheNextUser(_ kind: Kind) async throws {
        let files = ScratchFiles()
        let store = try #require(kind.store(files))
        let (one, two) = (TokenAuthenticator(Renewals {}, store: store), TokenAuthenticator(Renewals {}, store: store))
        try await one.signIn(Token("alice"))
        try await two.signIn(Token("bob"))
        try await client(one).signOut()
        #expect(one.token == nil)
        #expect(try store.load()?.token.value == "bob")
        try await client(two).signOut()
        #expect(try store.load() == nil)
    }

    /// A token that could not be saved has another one beside it in the store, of a user before.
    @Test func signOutLeavesNoOlderUser() async throws {
        let store = FailingStore()
        try await store.save(StoredToken(token: Token("old"), identity: UUID().uuidString))
        store.fails.store(true, ordering: .releasing)
        let authenticator = TokenAuthenticator(Renewals {}, store: store)
        _ = try? await authenticator.signIn(Token("new"))
        #expect(authenticator.token?.value == "new")
        store.fails.store(false, ordering: .releasing)
        try await client(authenticator).signOut()
        #expect(try store.load() == nil)
    }

    /// A store that can neither be read nor written for a while.
    private final class FailingStore: TokenStore {
        struct Failure: Error {}
        let fails = Atomic(false)
        private let memory = MemoryTokenStore()

        private func check() throws { if fails.load(ordering: .acquiring) { throw Failure() } }
        func load() throws -> StoredToken? {
            try check()
            return try memory.load()
        }
        func save(_ stored: StoredToken) async throws {
            try check()
            try await memory.save(stored)
        }
        func remove() async throws {
            try check()
            try await memory.remove()
        }
    }

    @Test func defaultLockExcludesFunctionsOfTheProcess() async throws {
        let store = TestStore()
        let running = Atomic(0)
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { @Sendable in
                    try await store.exclusively {
                        #expect(running.add(1, ordering: .relaxed).newValue == 1)
                        for _ in 0..<20 { await Task.yield() }
                        running.subtract(1, ordering: .relaxed)
                    }
                }
            }
            try await group.waitForAll()
        }
        // Another object is another store.
        try await store.exclusively { try await TestStore().exclusively {} }
    }

    @Test func supersededSignInThrows() async throws {
        let store = TestStore()
        let authenticator = TokenAuthenticator(Renewals {}, store: store)
        let (isHeld, holding) = Promise<Void>.pending()
        let (mayEnd, ending) = Promise<Void>.pending()
        let holder = Task {
            try await store.exclusively {
                holding.fulfill(())
                try await mayEnd.value
            }
        }
        try await isHeld.value
        let before = authenticator.identity
        let signIn = Task { try await authenticator.signIn(Token("alice")) }
        while authenticator.identity == before { await Task.yield() }
        let middle = authenticator.identity
        let signOut = Task { try await authenticator.signOut(context: AuthenticationContext(client: Client())) }
        while authenticator.identity == middle { await Task.yield() }
        ending.fulfill(())
        try await holder.value
        try await signOut.value
        #expect(await refusal(of: { try await signIn.value })?.code == .signedOut)
        #expect(authenticator.token == nil)
        #expect(store.stored == nil)
    }

    /// Calls on several threads, tokens that servers reject, and users who come and go, in random order.
    @Test(arguments: Kind.allCases)
    func randomInterleavingsNeverMixUsers(_ kind: Kind) async throws {
        let files = ScratchFiles()
        for seed in 0..<(isLongRun ? 2000 : 60) {
            let problem = try await interleaving(kind, files, UInt64(seed))
            #expect(problem == nil, "seed \(seed)")
        }
    }

    private func interleaving(_ kind: Kind, _ files: ScratchFiles, _ seed: UInt64) async throws -> String? {
        let numbers = Mutex(SeededNumbers(seed: seed))
        @Sendable func random(_ count: Int) -> Int {
            numbers.withLock { Int($0.next() % UInt64(count)) }
        }
        @Sendable func pause() async {
            for _ in 0..<random(30) { await Task.yield() }
        }
        let store = kind.store(files)
        let authenticator = TokenAuthenticator(Renewals(pause), store: store)
        // The user after the last change that has ended; nil while a change takes place.
        let expected = Mutex<String??>(.some("alice"))
        let wrong = Mutex<[String]>([])
        let isOver = Atomic(false)
        try await authenticator.signIn(Token("alice"))
        let client = client(authenticator) { _ in random(3) > 0 }
        await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask { @Sendable in
                    while !isOver.load(ordering: .acquiring) {
                        let before = expected.withLock(\.self)
                        let user = try? await call(client).value
                        let after = expected.withLock(\.self)
                        if let user, let before, let after, before == after, user != before {
                            wrong.withLock { $0.append("a call of \(before ?? "none") was sent as \(user)") }
                        }
                        await pause()
                    }
                }
            }
            for step in 0..<3 {
                await pause()
                expected.withLock { $0 = nil }
                let user = random(2) == 0 ? nil : "user\(step)"
                do {
                    if let user { try await authenticator.signIn(Token(user)) } else { try await client.signOut() }
                } catch {
                    wrong.withLock { $0.append("\(error)") }
                }
                if authenticator.token.map(Self.user) != user {
                    wrong.withLock { $0.append("\(authenticator.token?.value ?? "none") after \(user ?? "none")") }
                }
                expected.withLock { $0 = .some(user) }
                await pause()
                let stored = try? store?.load()?.token
                if store != nil, stored.map(Self.user) != user {
                    wrong.withLock { $0.append("\(stored?.value ?? "none") is stored after \(user ?? "none")") }
                }
            }
            isOver.store(true, ordering: .releasing)
        }
        try await client.signOut()
        return wrong.withLock(\.first)
    }

    #if os(Linux)
        /// Other processes renew the token without a pause. Once the sign-in has returned, no process uses the user before.
        @Test func otherProcessesDoNotBringTheUserBack() async throws {
            let files = ScratchFiles()
            let url = files.url.appending(path: "token")
            let store = FileTokenStore(url)
            let session = TokenAuthenticator(Renewals {}, store: store)
            try await session.signIn(Token("alice"))
            let children = try (0..<2).map { _ in try TokenPoller(url) }
            for child in children { try await child.users(4) }
            for round in 0..<20 {
                let user = "user\(round)"
                try await session.signIn(Token(user))
                for _ in 0..<50 { #expect(try store.load().map { Self.user(of: $0.token) } == user) }
                // The processes notice it with their next token.
                for child in children { try await child.wait(for: user) }
            }
            try await session.signOut(context: AuthenticationContext(client: Client()))
            for child in children { try await child.wait(for: "signInRequired") }
            #expect(try store.load() == nil)
            for child in children { child.end() }
        }
    #endif
}

#if os(Linux)
    import ChildProcesses
    import TangoAuth

    /// A process that renews the token of a file without a pause, and prints the user of each token.
    private final class TokenPoller: Sendable {
        private let process: ChildProcess

        init(_ url: URL) throws {
            process = try ChildProcess(command: [ChildProcess.executable("RequestProcess"), "tokenPolling", url.path])
        }

        private func lines(until isLast: @escaping @Sendable (Int, String) -> Bool) async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread { [process] in
                    var count = 0
                    while let line = process.line() {
                        count += 1
                        let user = line.split(separator: " ").last.map(String.init) ?? ""
                        if isLast(count, user) { return continuation.resume() }
                    }
                    continuation.resume(throwing: CocoaError(.fileReadUnknown))
                }
            }
        }

        func users(_ count: Int) async throws {
            try await lines { number, _ in number >= count }
        }

        func wait(for user: String) async throws {
            try await lines { $1 == user }
        }

        func end() {
            process.send(SIGKILL)
            process.end()
        }
    }
#endif
