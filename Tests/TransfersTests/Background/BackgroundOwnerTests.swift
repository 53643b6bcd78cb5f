import Foundation
import Synchronization
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// Background transfers belong to the user whose call has started them.
// One after the other: two of the tests hold a thread of the pool each.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct BackgroundOwnerTests {
    private let site = BackgroundSite()

    /// A client of a user, whose name or whose credentials are those of the calls.
    private func client(of user: String, isNamed: Bool = true) -> Client {
        site.client.with { [site] in
            if isNamed {
                $0.identity = "\(user) \(site.identifier)"
            } else {
                $0.headers["Authorization"] = "Bearer \(user)"
            }
        }
    }

    private func get(of client: Client, isFolder: Bool = false) -> GetFile {
        GetFile(of: client, to: isFolder ? .folder(site.files.url) : .file(site.target))
    }

    /// Returns the next order, unless the call has ended without one.
    private func order(_ number: Int, of call: CallCore) async throws -> TransferOrder {
        while site.system.orders.count < number, !call.phase.isFinished { await Task.yield() }
        return try #require(site.system.orders.dropFirst(number - 1).first)
    }

    /// Starts a transfer in a process that ends then, and begins the next process. The sign-outs of this test do not reach
    /// the call.
    private func leave<Output>(
        _ request: Request<Output>, _ kind: BackgroundPlan.Kind = .download
    ) async throws -> TransferOrder {
        let number = site.system.orders.count + 1
        let session = site.launch()
        let core = CallCore(Plan(request).common, receiver: .none, lifetime: .unmanaged, events: nil)
        let url = try #require(URL(string: "https://example.com\(request.endpoint.path)"))
        let message = HTTPRequest(
            method: request.endpoint.method, url: url, headers: request.client.configuration.headers)
        await session.start(TransferCall(kind, message, core) { _ in })
        let order = await site.system.order(number)
        await site.launch().ready()
        return order
    }

    // MARK: Other users

    @Test(arguments: [true, false], [true, false])
    func otherUserGetsNoFile(isNamed: Bool, isFolder: Bool) async throws {
        site.launch()
        get(of: client(of: "alice", isNamed: isNamed), isFolder: isFolder).start()
        let first = await site.system.order()
        await site.launch().ready()
        try site.system.deliver(first.id, filmBytes)
        let call = get(of: client(of: "bob", isNamed: isNamed), isFolder: isFolder).start()
        try site.system.deliver(try await order(2, of: call.core).id, Data("of bob".utf8))
        let file = try await call.value
        #expect(try Data(contentsOf: file.url) == Data("of bob".utf8))
        #expect(file.url.lastPathComponent == (isFolder ? "film 2.mp4" : "film.mp4"))
    }

    @Test(arguments: [true, false])
    func otherUserGetsNoResponse(isNamed: Bool) async throws {
        let film = try site.files.file("source", filmBytes)
        site.launch()
        SendFilm(film, client(of: "alice", isNamed: isNamed)).start()
        let first = await site.system.order()
        await site.launch().ready()
        site.system.respond(first.id, "of alice")
        let call = SendFilm(film, client(of: "bob", isNamed: isNamed)).start()
        site.system.respond(try await order(2, of: call.core).id, "of bob")
        #expect(try await call.value == "of bob")
    }

    @Test(arguments: [true, false])
    func otherUserContinuesNoDownload(isNamed: Bool) async throws {
        site.launch()
        let call = get(of: client(of: "alice", isNamed: isNamed)).start()
        site.system.fail(await site.system.order().id, .connectionLost, resumeData: Data("rest".utf8))
        #expect(try await failure { try await call.value }.code == .connectionLost)
        let next = get(of: client(of: "bob", isNamed: isNamed)).start()
        #expect(try await order(2, of: next.core).resumeData == nil)
        next.cancel()
    }

    @Test(arguments: [true, false])
    func sameUserGetsTheFile(isNamed: Bool) async throws {
        site.launch()
        get(of: client(of: "alice", isNamed: isNamed)).start()
        let first = await site.system.order()
        await site.launch().ready()
        try site.system.deliver(first.id, filmBytes)
        #expect(try await get(of: client(of: "alice", isNamed: isNamed)).start().value.count == filmBytes.count)
        #expect(site.system.orders.count == 1)
    }

    // MARK: Signing out

    enum Left: CaseIterable {
        case transfer, response, result, file
    }

    /// Leaves something of a user, as an earlier process does.
    private func leave(_ left: Left, of client: Client) async throws {
        switch left {
        case .transfer: _ = try await leave(get(of: client))
        case .result: try site.system.deliver(try await leave(get(of: client)).id, filmBytes)
        case .file:
            // The destination is missing, so the file waits in the folder of the session.
            let later = site.files.url.appendingPathComponent("later")
            try FileManager.default.createDirectory(at: later, withIntermediateDirectories: true)
            let order = try await leave(GetFile(of: client, to: .folder(later)))
            try FileManager.default.removeItem(at: later)
            try site.system.deliver(order.id, filmBytes)
        case .response:
            let film = try site.files.file("source", filmBytes)
            site.system.respond(try await leave(SendFilm(film, client), .upload(film)).id, "stored")
        }
    }

    @Test(arguments: Left.allCases)
    func nothingIsLeftAfterASignOut(_ left: Left) async throws {
        let (carol, dave) = (client(of: "carol"), client(of: "dave"))
        try await leave(left, of: carol)
        let names = BackgroundSite.names(site.kept)
        #expect(!names.isEmpty)
        try await dave.signOut()
        #expect(BackgroundSite.names(site.kept) == names)
        try await carol.signOut()
        #expect(BackgroundSite.names(site.kept).isEmpty)
        #expect(site.system.state.withLock(\.tasks).isEmpty)
        // A file at its destination is that of the application.
        #expect(FileManager.default.fileExists(atPath: site.target.path) == (left == .result))
    }

    @Test func resumeDataEndsWithItsUser() async throws {
        let erin = client(of: "erin")
        site.launch()
        let call = get(of: erin).start()
        site.system.fail(await site.system.order().id, .connectionLost, resumeData: Data("rest".utf8))
        #expect(try await failure { try await call.value }.code == .connectionLost)
        try await erin.signOut()
        let next = get(of: erin).start()
        #expect(try await order(2, of: next.core).resumeData == nil)
        next.cancel()
    }

    /// The application resumes its sessions after it has signed the user out.
    @Test func sessionLearnsOfEarlierSignOuts() async throws {
        let frank = client(of: "frank")
        try await leave(.result, of: frank)
        TransferSession.use(nil, as: site.identifier)
        try await frank.signOut()
        #expect(!BackgroundSite.names(site.kept).isEmpty)
        await site.launch().ready()
        #expect(BackgroundSite.names(site.kept).isEmpty)
        // The user signs in again, and begins a transfer.
        let call = get(of: frank).start()
        let next = try await order(2, of: call.core)
        await site.launch().ready()
        #expect(!BackgroundSite.names(site.kept).isEmpty)
        try site.system.deliver(next.id, filmBytes)
    }

    /// A thread places the file during the sign-out. So it does not remove the record.
    @Test func recordThatIsBeingFinishedIsRemovedThen() async throws {
        let grace = client(of: "grace")
        let order = try await leave(get(of: grace))
        let (isBusy, busy) = Promise<Void>.pending()
        let hasSignedOut = DispatchSemaphore(value: 0)
        let isFirst = Mutex(true)
        let session = site.launch { [weak site] in
            guard let session = site?.system.session, !session.state.withLock(\.busy.isEmpty),
                isFirst.withLock({ replace(&$0, with: false) })
            else { return }
            busy.fulfill()
            hasSignedOut.wait()
        }
        await session.ready()
        async let delivery: Void = withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [site] in
                continuation.resume(with: Result { try site.system.deliver(order.id, filmBytes) })
            }
        }
        try await isBusy.value
        try await grace.signOut()
        hasSignedOut.signal()
        try await delivery
        #expect(session.state.withLock(\.records).isEmpty)
        #expect(BackgroundSite.names(site.kept).isEmpty)
    }

    /// A client without an identity removes what has no user, in the sessions that its calls have used.
    @Test func transfersWithoutAUserEndWithTheirClient() async throws {
        let (one, other) = (client(of: "one", isNamed: false), client(of: "other", isNamed: false))
        // The client of the earlier process.
        try await leave(.response, of: client(of: "one", isNamed: false))
        let names = BackgroundSite.names(site.kept)
        try await one.signOut()
        #expect(BackgroundSite.names(site.kept) == names)
        let target = site.files.url.appendingPathComponent("other.mp4")
        let call = get(of: one).start()
        let otherCall = GetFile(of: other, to: .file(target)).start()
        _ = await site.system.order(3)
        try await one.signOut()
        #expect(try await failure { try await call.value }.code == .signedOut)
        #expect(Set(names).isDisjoint(with: BackgroundSite.names(site.kept)))
        // The call of the other client goes on.
        for order in site.system.orders.dropFirst() { try site.system.deliver(order.id, filmBytes) }
        #expect(try await otherCall.value.url == target)
    }
}
