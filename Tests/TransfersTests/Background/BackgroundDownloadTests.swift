import Foundation
import Synchronization
import TangoAuth
import TangoCookies
import TangoPromise
import TangoTesting
import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// Downloads by a background session, over real files, and processes that end.
// One after the other: two of the tests hold a thread of the pool each, which on two cores has no third.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct BackgroundDownloadTests {
    private let site = BackgroundSite()

    private func deliver(_ bytes: Data = filmBytes, order number: Int = 1, _ headers: Headers = [:]) async throws {
        try site.system.deliver(await site.system.order(number).id, bytes, headers)
    }

    @Test func fileGetsItsName() async throws {
        site.launch()
        let call = site.get().start()
        try await deliver()
        let file = try await call.value
        #expect(file.url == site.target)
        #expect(file.count == filmBytes.count)
        #expect(file.response.status == 200)
        #expect(try Data(contentsOf: site.target) == filmBytes)
        #expect(BackgroundSite.names(site.files) == ["film.mp4"])
        #expect(BackgroundSite.names(site.kept).isEmpty)
        #expect(call.attempts.count == 1)
    }

    @Test func emptyFileIsAFile() async throws {
        site.launch()
        let call = site.get().start()
        try await deliver(Data())
        #expect(try await call.value.count == 0)
        #expect(BackgroundSite.names(site.files) == ["film.mp4"])
    }

    @Test func nameOfTheServerIsMadeSafeAndNumbered() async throws {
        site.launch()
        _ = try site.files.file("a.mp4", Data())
        let call = GetFile(of: site.client, to: .folder(site.files.url)).start()
        try await deliver(filmBytes, ["Content-Disposition": "attachment; filename=\"../../a.mp4\""])
        #expect(try await call.value.url.lastPathComponent == "a 2.mp4")
    }

    @Test func progressCountsTheBytesOfTheSystem() async throws {
        site.launch()
        let call = site.get().start()
        let id = await site.system.order().id
        site.system.session?.received(id, 1_000, of: 5_000)
        #expect(call.core.transportProgress.snapshot.received == 1_000)
        #expect(call.core.transportProgress.snapshot.receivedTotal == 5_000)
        call.cancel()
    }

    @Test func eventsMayComeTwice() async throws {
        site.launch()
        let call = site.get().start()
        let id = await site.system.order().id
        try site.system.deliver(id, filmBytes, completes: false)
        try site.system.deliver(id, Data("other".utf8))
        _ = try await call.value
        try site.system.deliver(id, Data("other".utf8))
        #expect(try Data(contentsOf: site.target) == filmBytes)
        #expect(BackgroundSite.names(site.kept).isEmpty)
    }

    @Test func secondCallOfOneFileIsRefused() async throws {
        site.launch()
        let call = site.get().start()
        _ = await site.system.order()
        let error = try await failure { try await site.get().start().value }
        #expect(error.code == .destinationInUse)
        try await deliver()
        _ = try await call.value
    }

    @Test func cancelledCallCancelsItsTask() async throws {
        site.launch()
        let call = site.get().start()
        _ = await site.system.order()
        // The order is given before the library knows its task, so that either of them may come first.
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        let next = site.get().start()
        try await deliver(order: 2)
        _ = try await next.value
        #expect(await site.system.cancelled() == [1])
        await site.keepsNothing()
    }

    /// A call that starts after a cancellation must not find its place taken.
    @Test func callThatIsCancelledWhileItsTaskStartsLeavesItsPlaceAtOnce() async throws {
        site.launch()
        let isThere = DispatchSemaphore(value: 0)
        let started = Mutex<Call<DownloadedFile>?>(nil)
        site.system.state.withLock { state in
            state.whileStarting = {
                isThere.wait()
                started.withLock { $0 }?.cancel()
            }
        }
        let call = site.get().start()
        started.withLock { $0 = call }
        isThere.signal()
        await #expect(throws: CancellationError.self) { try await call.value }
        site.system.state.withLock { $0.whileStarting = nil }
        let next = site.get().start()
        try await deliver(order: 2)
        _ = try await next.value
        #expect(await site.system.cancelled() == [1])
        await site.keepsNothing()
    }

    /// An interceptor, or a busy thread, may tell the transport late that a call was cancelled. The next call does not wait
    /// for that.
    @Test func callLeavesItsPlaceBeforeItsTransferIsCancelled() async throws {
        final class Late: Interceptor {
            let first = Mutex<Task<HTTPResponse, any Error>?>(nil)

            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                let task = Task { try await next(request) }
                first.withLock { $0 = $0 ?? task }
                return try await task.value
            }
        }
        let late = Late()
        let site = BackgroundSite { $0.attemptInterceptors = [late] }
        site.launch()
        let call = site.get().start()
        _ = await site.system.order()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        let next = site.get().start()
        while site.system.orders.count < 2, !next.core.phase.isFinished { await Task.yield() }
        let second = try #require(site.system.orders.dropFirst().first)
        late.first.withLock { $0 }?.cancel()
        _ = await late.first.withLock { $0 }?.result
        try site.system.deliver(second.id, filmBytes)
        #expect(try await next.value.count == filmBytes.count)
        #expect(await site.system.cancelled() == [1])
        await site.keepsNothing()
    }

    @Test func nothingIsLeftOfACallThatIsCancelledWhileItsRecordIsSaved() async throws {
        let isThere = DispatchSemaphore(value: 0)
        let started = Mutex<Call<DownloadedFile>?>(nil)
        let isFirst = Mutex(true)
        site.launch {
            guard isFirst.withLock({ replace(&$0, with: false) }) else { return }
            isThere.wait()
            started.withLock { $0 }?.cancel()
        }
        let call = site.get().start()
        started.withLock { $0 = call }
        isThere.signal()
        await #expect(throws: CancellationError.self) { try await call.value }
        let next = site.get().start()
        try await deliver()
        _ = try await next.value
        #expect(site.system.orders.count == 1)
        await site.keepsNothing()
    }

    @Test func callWaitsForTheFileOfOneThatIsCancelledWhileItIsPlaced() async throws {
        let started = Mutex<Call<DownloadedFile>?>(nil)
        let next = Mutex<Call<DownloadedFile>?>(nil)
        let session = site.launch { [weak site] in
            guard let site, let session = site.system.session, !session.state.withLock(\.busy).isEmpty,
                let call = started.withLock({ replace(&$0, with: nil) })
            else { return }
            call.cancel()
            let other = site.get().start()
            next.withLock { $0 = other }
            // Either it waits, or it was refused.
            while session.state.withLock(\.late).isEmpty, !other.core.phase.isFinished { sched_yield() }
        }
        let call = site.get().start()
        started.withLock { $0 = call }
        try await deliver()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(try Data(contentsOf: site.target) == filmBytes)
        let other = try #require(next.withLock { $0 })
        try #require(!other.core.phase.isFinished)
        try await deliver(Data("new".utf8), order: 2)
        #expect(try await other.value.count == 3)
        #expect(session.state.withLock(\.records).isEmpty)
        #expect(BackgroundSite.names(site.kept).isEmpty)
    }

    // MARK: Failures

    @Test(arguments: [
        ("4999", RequestError.Code.truncated, Checksum?.none, Int?.none),
        ("5000", .checksumMismatch, .sha256(String(repeating: "0", count: 64)), nil),
        ("5000", .responseTooLarge, nil, 4_999),
        ("5000", .badPolicy, .sha256("12"), nil),
    ])
    func fileThatIsNotTheExpectedOneIsRemoved(
        length: String, code: RequestError.Code, checksum: Checksum?, limit: Int?
    ) async throws {
        site.launch()
        let request = site.get()
        request.digest = checksum
        request.limit = limit
        let call = request.start()
        if code != .badPolicy { try await deliver(filmBytes, ["Content-Length": length]) }
        let error = try await failure { try await call.value }
        #expect(error.code == code)
        #expect(BackgroundSite.names(site.files).isEmpty)
        #expect(BackgroundSite.names(site.kept).isEmpty)
    }

    @Test func bodyOfARefusedResponseIsInTheError() async throws {
        site.launch()
        let call = site.get().start()
        try site.system.deliver(await site.system.order().id, Data("no".utf8), status: .notFound)
        let error = try await failure { try await call.value }
        #expect(error.code == .badStatus)
        #expect(error.response?.body == Data("no".utf8))
        #expect(BackgroundSite.names(site.files).isEmpty)
    }

    @Test func nextCallContinuesAfterAFailure() async throws {
        site.launch()
        let call = site.get().start()
        site.system.fail(await site.system.order().id, .connectionLost, resumeData: Data("rest".utf8))
        #expect(try await failure { try await call.value }.code == .connectionLost)
        let next = site.get().start()
        #expect(await site.system.order(2).resumeData == Data("rest".utf8))
        try await deliver(order: 2)
        _ = try await next.value
    }

    @Test func fileStaysUntilItsFolderIsThere() async throws {
        site.launch()
        let call = site.get().start()
        let id = await site.system.order().id
        try FileManager.default.removeItem(at: site.files.url)
        try site.system.deliver(id, filmBytes)
        #expect(try await failure { try await call.value }.code == .cannotWriteFile)
        try FileManager.default.createDirectory(at: site.files.url, withIntermediateDirectories: true)
        #expect(try await site.get().start().value.count == filmBytes.count)
        #expect(site.system.orders.count == 1)
        await site.keepsNothing()
    }

    @Test func callThatIsCancelledBeforeItsOrderSendsNothing() async throws {
        let gate = Promise<Void>.pending()
        site.system.state.withLock { $0.gate = gate.promise }
        let session = site.launch()
        let call = site.get().start()
        // The transport is given the request after its attempt has begun.
        while call.attempts.isEmpty { await Task.yield() }
        call.cancel()
        gate.resolver.fulfill(())
        await session.ready()
        await site.client.shutdown()
        #expect(site.system.orders.isEmpty)
        #expect(BackgroundSite.names(site.kept).isEmpty)
    }

    @Test func transferOfACancelledCallIsCancelled() throws {
        let core = CallCore(Plan(site.get()).common, receiver: .none, lifetime: .unmanaged, events: nil)
        let request = HTTPRequest(url: site.target)
        let results = Recorded<String>()
        let call = TransferCall(.download, request, core) { response in
            do { _ = try response() } catch { results.add("\(error)") }
        }
        call.cancel()
        call.attach { results.add("cancelled") }
        #expect(results.all == ["CancellationError()", "cancelled"])
        call.cancel()
        call.settle { HTTPResponse(status: .ok) }
        #expect(results.all == ["CancellationError()", "cancelled"])
    }

    @Test func systemGetsTheKindsOfNetworks() async throws {
        let site = BackgroundSite { $0.networks = [.cellular] }
        site.launch()
        let call = site.get().start()
        #expect(await site.system.order().networks == [.cellular])
        call.cancel()
    }

    @Test func systemDecidesWhenItSends() async throws {
        let network = ScriptedConnectivity()
        network.status = .unavailable
        let site = BackgroundSite {
            $0.limiter = Limiter(total: 1)
            $0.connectivity = network
            $0.waitsForConnectivity = .seconds(3600)
            $0.timeouts.total = .seconds(3600)
        }
        site.launch()
        let calls = ["a", "b"].map { name in
            GetFile(of: site.client, to: .file(site.files.url.appendingPathComponent(name))).start()
        }
        _ = await site.system.order(2)
        for order in site.system.orders { try site.system.deliver(order.id, filmBytes) }
        for call in calls { _ = try await call.value }
        #expect(calls.allSatisfy { $0.core.plan.timeouts == .none })
    }

    @Test func retryContinuesTheDownload() async throws {
        let site = BackgroundSite { $0.retryPolicy = .exponential(attempts: 2, base: .zero) }
        site.launch()
        let call = site.get().start()
        site.system.fail(await site.system.order().id, .connectionLost, resumeData: Data("rest".utf8))
        let order = await site.system.order(2)
        #expect(order.resumeData == Data("rest".utf8))
        // The parts of a file have another status.
        try site.system.deliver(order.id, filmBytes, status: .partialContent, ["Content-Length": "10"])
        #expect(try await call.value.response.status == 200)
        #expect(call.attempts.count == 2)
    }

    @Test func bodyOfAnInterceptorIsRefused() async throws {
        struct Adding: Interceptor {
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                var request = request
                request.body = .string("body")
                return try await next(request)
            }
        }
        let site = BackgroundSite { $0.interceptors = [Adding()] }
        site.launch()
        #expect(try await failure { try await site.get().start().value }.code == .unsupported)
        #expect(site.system.orders.isEmpty)
    }

    private static let unsupported: [@Sendable (inout Client.Configuration) -> Void] = [
        { $0.redirectPolicy = .refuse },
        { configuration in
            configuration.trust = .pins(["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="], backups: [])
        },
    ]

    @Test(arguments: unsupported.indices) func rulesThatTheSystemIgnoresAreRefused(number: Int) async throws {
        let site = BackgroundSite(Self.unsupported[number])
        site.launch()
        #expect(try await failure { try await site.get().start().value }.code == .unsupported)
        #expect(site.system.orders.isEmpty)
    }

    // MARK: Other processes

    @Test func callWaitsForTheTransferOfAnEarlierProcess() async throws {
        site.launch()
        site.get().start()
        let id = await site.system.order().id
        site.launch()
        let call = site.get().start()
        await site.system.session?.ready()
        try site.system.deliver(id, filmBytes)
        #expect(try await call.value.url == site.target)
        #expect(site.system.orders.count == 1)
    }

    @Test func fileThatCameWithoutACallIsDeliveredOnce() async throws {
        site.launch()
        site.get().start()
        let id = await site.system.order().id
        await site.launch().ready()
        try site.system.deliver(id, filmBytes)
        #expect(try Data(contentsOf: site.target) == filmBytes)
        site.launch()
        #expect(try await site.get().start().value.count == filmBytes.count)
        #expect(site.system.orders.count == 1)
        let next = site.get().start()
        try await deliver(order: 2)
        _ = try await next.value
    }

    @Test func refusedResponseWithoutACallLeavesNothing() async throws {
        site.launch()
        site.get().start()
        let id = await site.system.order().id
        await site.launch().ready()
        try site.system.deliver(id, Data("no".utf8), status: .notFound)
        #expect(BackgroundSite.names(site.files).isEmpty)
        #expect(BackgroundSite.names(site.kept).isEmpty)
    }

    @Test func callWaitsWhileItsFileIsVerified() async throws {
        site.launch()
        site.get().start()
        let id = await site.system.order().id
        let late = Mutex<Call<DownloadedFile>?>(nil)
        let session = site.launch { [weak site] in
            guard let site, let session = site.system.session, !session.state.withLock(\.busy.isEmpty),
                late.withLock({ $0 == nil })
            else { return }
            late.withLock { $0 = site.get().start() }
            while session.state.withLock(\.late.isEmpty) { sched_yield() }
        }
        await session.ready()
        try await withCheckedThrowingContinuation { continuation in
            // The thread is blocked until the call has come.
            Thread.detachNewThread { [site] in
                continuation.resume(with: Result { try site.system.deliver(id, filmBytes) })
            }
        }
        let call = try #require(late.withLock { $0 })
        #expect(try await call.value.count == filmBytes.count)
        #expect(site.system.orders.count == 1)
        await site.keepsNothing()
    }

    @Test func resultIsForgottenAfterADay() async throws {
        site.launch()
        site.get().start()
        let id = await site.system.order().id
        await site.launch().ready()
        try site.system.deliver(id, filmBytes)
        site.time.withLock { $0 += TransferRecord.longestResult + 1 }
        await site.launch().ready()
        #expect(BackgroundSite.names(site.kept).isEmpty)
        #expect(BackgroundSite.names(site.files) == ["film.mp4"])
    }

    @Test func otherRequestReplacesTheTransferOfAnEarlierProcess() async throws {
        site.launch()
        site.get().start()
        _ = await site.system.order()
        site.launch()
        let other = GetFile("/other.mp4", of: site.client, to: .file(site.target))
        let call = other.start()
        try await deliver(order: 2)
        _ = try await call.value
        #expect(site.system.state.withLock(\.cancelled) == [1])
        #expect(BackgroundSite.names(site.kept).isEmpty)
    }

    @Test func suspendedTaskIsResumed() async throws {
        site.launch()
        site.get().start()
        _ = await site.system.order()
        site.system.state.withLock { $0.tasks[0].isSuspended = true }
        await site.launch().ready()
        #expect(site.system.state.withLock(\.resumed) == [1])
    }

    @Test func folderHasNoSecrets() async throws {
        site.launch()
        let request = GetFile("/secret-path?token=secret-token", of: site.client, to: .file(site.target))
        request.place = .get("/secret-path", query: ["token": "secret-token"])
        request.place.headers["Authorization"] = "Bearer secret-header"
        request.start()
        let id = await site.system.order().id
        await site.launch().ready()
        try site.system.deliver(id, filmBytes, ["Set-Cookie": "a=secret-cookie", "Location": "/secret-location"])
        let names = BackgroundSite.names(site.kept)
        #expect(!names.isEmpty)
        for name in names {
            let bytes = try Data(contentsOf: site.kept.url.appendingPathComponent(name))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("secret-"))
        }
    }

    @Test func guardOfTestsRefusesRealServers() async throws {
        site.launch()
        RefusedServers.refuse()
        let call = GetFile("https://real.test/film.mp4", of: site.client, to: .file(site.target)).start()
        let error = try await failure { try await call.value }
        #expect(error.code == .noStub)
        #expect(error.detail.contains("real.test"))
        #expect(site.system.orders.isEmpty)
    }

    @Test func sessionIsAnOrdinaryDownloadWithoutTheSystem() async throws {
        let place = try FileSite { $0.backgroundPolicy = .session("com.example.none") }
        #expect(try await place.get().start().value.count == FileSite.size)
    }
}
