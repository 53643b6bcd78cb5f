import LoopbackServer
import TangoPromise
import Testing

@testable import TangoFoundation
@testable import TestSupport

/// The `Progress` of calls, on real connections.
@Suite(.timeLimit(.minutes(20)))
struct ProgressTests {
    private let site: Site

    init() throws {
        site = try Site()
    }

    /// Returns once a condition on a `Progress` holds, or the task is cancelled. `Progress` has no notifications on Linux, so this
    /// asks again and again.
    private func reached(_ progress: Progress, _ condition: (Progress) -> Bool) async {
        while !condition(progress), !Task.isCancelled { await Task.yield() }
    }

    /// A body of five bytes, of which the last three wait for a gate.
    ///
    /// - Parameter start: A gate that holds the head, so that a test follows the progress before the total is known.
    private func halves(_ gate: Gate, after start: Gate) -> Response {
        Response.text("hello").held(by: start).held(by: gate, at: .responseBody)
    }

    @Test func downloadIsCounted() async throws {
        let (start, gate) = (Gate(), Gate())
        site.server.answer("/a", with: halves(gate, after: start))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        let progress = call.makeProgress(of: .download)
        #expect(progress.isIndeterminate)
        start.open()
        await reached(progress) { $0.completedUnitCount == 2 && $0.totalUnitCount == 5 }
        #expect(progress.fractionCompleted == 0.4)
        #expect(!progress.isFinished)
        gate.open()
        #expect(try await call.value == "hello")
        await reached(progress, \.isFinished)
        #expect(progress.completedUnitCount == 5)
        #expect(progress.totalUnitCount == 5)
        #expect(!progress.isCancelled)
    }

    @Test func uploadIsCountedAndFinishesWithTheCall() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("done").held(by: gate))
        let body = Data(repeating: 7, count: 1 << 20)
        let call = Fetch<String>(.post("/a", body: .data(body)), of: site.client()).start()
        let progress = call.makeProgress(of: .upload)
        await reached(progress) { $0.totalUnitCount == 1 << 20 && $0.completedUnitCount == (1 << 20) - 1 }
        #expect(!progress.isFinished)
        gate.open()
        #expect(try await call.value == "done")
        await reached(progress, \.isFinished)
        #expect(progress.completedUnitCount == 1 << 20)
    }

    @Test func unknownTotalIsIndeterminateUntilTheEnd() async throws {
        let (start, gate) = (Gate(), Gate())
        site.server.answer("/a", with: halves(gate, after: start).chunked())
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        let progress = call.makeProgress(of: .download)
        start.open()
        await reached(progress) { $0.completedUnitCount > 0 }
        #expect(progress.isIndeterminate)
        gate.open()
        await reached(progress, \.isFinished)
        #expect(progress.totalUnitCount == 5)
        #expect(try await call.value == "hello")
    }

    @Test func emptyBodyFinishes() async throws {
        site.server.answer("/a", with: .status(204))
        let call = Fetch<Void>(.get("/a"), of: site.client()).start()
        let progress = call.makeProgress(of: .download)
        try await call.value
        await reached(progress, \.isFinished)
        #expect(progress.fractionCompleted == 1)
    }

    @Test func finishedCallHasAFinishedProgress() async throws {
        site.server.answer("/a", with: .text("hello"))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        _ = try await call.value
        let progress = call.makeProgress(of: .download)
        await reached(progress, \.isFinished)
        #expect(progress.completedUnitCount == 5)
    }

    @Test(arguments: [true, false])
    func cancellingTheProgressCancelsTheCall(_ isParent: Bool) async throws {
        site.server.answer("/a", with: Response.text("hello").held(by: Gate()))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        let parent = Progress(totalUnitCount: 1)
        let progress = call.makeProgress(of: .download, parent: parent, pendingUnitCount: 1)
        (isParent ? parent : progress).cancel()
        #expect(await isCancelled(call.promise))
        #expect(call.state == .finished(.cancelled))
    }

    @Test func cancellingTheCallCancelsTheProgress() async throws {
        site.server.answer("/a", with: Response.text("hello").held(by: Gate()))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        let progress = call.makeProgress(of: .download)
        call.cancel()
        await reached(progress, \.isCancelled)
        #expect(!progress.isFinished)
    }

    @Test func failureLeavesTheProgressUnfinished() async throws {
        let (start, gate) = (Gate(), Gate())
        site.server.answer("/a", with: halves(gate, after: start).status(404))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        let progress = call.makeProgress(of: .download)
        start.open()
        await reached(progress) { $0.completedUnitCount == 2 }
        gate.open()
        #expect(await refusal(of: call.promise)?.code == .badStatus)
        await reached(progress) { $0.completedUnitCount == 4 }
        #expect(!progress.isFinished)
        #expect(!progress.isCancelled)
    }

    @Test func parentCombinesCalls() async throws {
        let (start, gate) = (Gate(), Gate())
        site.server.answer("/a", with: .text("hello"))
        site.server.answer("/b", with: halves(gate, after: start))
        let parent = Progress(totalUnitCount: 10)
        let first = Fetch<String>(.get("/a"), of: site.client()).start()
        let second = Fetch<String>(.get("/b"), of: site.client()).start()
        let progresses = [first, second].map { $0.makeProgress(of: .download, parent: parent, pendingUnitCount: 5) }
        start.open()
        await reached(parent) { abs($0.fractionCompleted - 0.7) < 0.001 }
        gate.open()
        await reached(parent, \.isFinished)
        // A parent may be notified before its child shows the change.
        for progress in progresses { await reached(progress, \.isFinished) }
        #expect(try await first.value == second.value)
    }

    @Test func childOfACancelledParentCancelsTheCall() async throws {
        site.server.answer("/a", with: Response.text("hello").held(by: Gate()))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        let parent = Progress(totalUnitCount: 1)
        parent.cancel()
        let progress = call.makeProgress(of: .download, parent: parent, pendingUnitCount: 1)
        #expect(progress.isCancelled)
        #expect(await isCancelled(call.promise))
    }

    /// Children change on several threads.
    @Test func parentMissesNoChangeOfItsChildren() async throws {
        site.server.answer("/a", with: .text("hello"))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        _ = try await call.value
        let parents = (0..<3000).map { _ in Progress(totalUnitCount: 4) }
        for parent in parents {
            for _ in 0..<4 { call.makeProgress(of: .download, parent: parent, pendingUnitCount: 1) }
        }
        try await within(.seconds(60)) { for parent in parents { await reached(parent, \.isFinished) } }
        #expect(parents.allSatisfy { $0.fractionCompleted == 1 })
    }

    @Test func smallerBodyOfARetryDoesNotFinishTheProgress() async throws {
        let gate = Gate()
        let long = Response.text(String(repeating: "a", count: 5120)).status(503)
        site.server.enqueue(long, .text("hello").held(by: gate, at: .responseBody))
        let client = site.client().with { $0.retryPolicy = .exponential(attempts: 2, base: .zero) }
        let parent = Progress(totalUnitCount: 2)
        let call = Fetch<String>(.get("/a"), of: client).start()
        let progress = call.makeProgress(of: .download, parent: parent, pendingUnitCount: 1)
        await reached(progress) { $0.totalUnitCount == 5 }
        #expect(!progress.isFinished)
        gate.open()
        _ = try await call.value
        await reached(progress, \.isFinished)
        await reached(parent) { $0.fractionCompleted == 0.5 }
    }

    @Test func progressIsNoChildOfTheCurrentOne() async throws {
        site.server.answer("/a", with: .text("hello"))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        let (current, parent) = (Progress(totalUnitCount: 1), Progress(totalUnitCount: 1))
        func add() {
            current.becomeCurrent(withPendingUnitCount: 1)
            call.makeProgress(of: .download, parent: parent, pendingUnitCount: 1)
            current.resignCurrent()
        }
        add()
        _ = try await call.value
        await reached(parent, \.isFinished)
    }

    @Test func progressRetainsNoCall() async throws {
        site.server.answer("/a", with: Response.text("hello").held(by: Gate()))
        var call: Call<String>? = Fetch<String>(.get("/a"), of: site.client()).start(lifetime: .unmanaged)
        let progress = try #require(call?.makeProgress(of: .download))
        call = nil
        await reached(progress, \.isCancelled)
    }

    @Test(arguments: [
        (CallProgress(), -1 as Int64, 0 as Int64), (CallProgress(received: 3), -1, 3),
        (CallProgress(received: 3, receivedTotal: 0), -1, 3),
        (CallProgress(received: 3, receivedTotal: 7), 7, 3), (CallProgress(received: 7, receivedTotal: 7), 7, 6),
        (CallProgress(received: 9, receivedTotal: 7), 7, 6),
    ])
    func callInFlightIsNeverFinished(_ progress: CallProgress, _ total: Int64, _ completed: Int64) {
        let count = ByteCount(of: .download, progress)
        #expect(count.total == total)
        #expect(count.completed == completed)
    }

    @Test(arguments: [(0, nil, 1), (3, nil, 3), (3, 7, 7), (9, 7, 9)] as [(Int, Int?, Int64)])
    func successIsAlwaysFinished(_ sent: Int, _ known: Int?, _ total: Int64) {
        let count = ByteCount(of: .upload, finished: CallProgress(sent: sent, sentTotal: known))
        #expect(count.total == total)
        #expect(count.completed == total)
    }
}
