import Foundation
import LoopbackServer
import Testing

@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct ProgressTests {
    func all(_ stream: AsyncStream<CallProgress>) async -> [CallProgress] {
        var all: [CallProgress] = []
        for await progress in stream { all.append(progress) }
        return all
    }

    @Test(arguments: [true, false])
    func progressRisesToTheEnd(isLengthKnown: Bool) async throws {
        let site = try Site()
        let gate = Gate()
        let answer = Response.generated(bytes: 3_000_000).held(by: gate)
        site.server.answer("/a", with: isLengthKnown ? answer : answer.chunked(size: 10_000))
        let call = Fetch<Data>(.get("/a"), of: site.client()).start()
        try await gate.reached()
        var followers = [call.progress, call.progress, call.progress].map { $0.makeAsyncIterator() }
        for place in followers.indices { #expect(await followers[place].next()?.received == 0) }
        gate.open()
        for place in followers.indices {
            var progress: [CallProgress] = []
            while let next = await followers[place].next() { progress.append(next) }
            #expect(progress.last?.received == 3_000_000)
            #expect(progress.last?.receivedTotal == (isLengthKnown ? 3_000_000 : nil))
            #expect(progress.map(\.received) == progress.map(\.received).sorted())
            #expect(progress.last?.fraction == (isLengthKnown ? 1 : nil))
        }
        #expect(await all(call.progress).map(\.received) == [3_000_000])
    }

    @Test func lateFollowerReceivesTheCurrentProgress() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .generated(bytes: 1_000_000).held(by: gate, at: .responseBody))
        let call = Fetch<Data>(.get("/a"), of: site.client()).start()
        try await gate.reached()
        // The server holds back the second half. A follower must see the first half without further progress.
        for await progress in call.progress where progress.received > 0 { break }
        var late = call.progress.makeAsyncIterator()
        #expect(await late.next()?.received ?? 0 > 0)
        gate.open()
        #expect(try await call.value.count == 1_000_000)
    }

    @Test func progressCountsSentBytes() async throws {
        let site = try Site()
        site.server.answer("/a", with: .status(204))
        let files = ScratchFiles()
        let file = try files.file("a", Data(count: 1_000_000))
        let call = Fetch<Void>(.put("/a", body: .file(file)), of: site.client()).start()
        let progress = await all(call.progress)
        #expect(progress.last?.sent == 1_000_000)
        #expect(progress.last?.sentTotal == 1_000_000)
        #expect(progress.map(\.sent) == progress.map(\.sent).sorted())
    }

    /// The length of a body that nothing has followed is known from the head of the response.
    @Test func progressKeepsItsTotal() async throws {
        let site = try Site()
        site.server.answer("/a", with: .generated(bytes: 300_000))
        let (hasArrived, goesOn) = (Gate(), DispatchSemaphore(value: 0))
        let observer = ClosureObserver { event in
            guard case .response = event.kind else { return }
            hasArrived.open()
            goesOn.wait()
        }
        let call = Fetch<Data>(.get("/a"), of: site.client(observers: [observer])).start()
        try await hasArrived.opened()
        var follower = call.progress.makeAsyncIterator()
        var progress = [try #require(await follower.next())]
        goesOn.signal()
        while let next = await follower.next() { progress.append(next) }
        #expect(progress.allSatisfy { $0.fraction == 1 })
    }

    @Test(arguments: ["retry", "redirect"], [true, false])
    func progressStartsAgainWithEachResponse(_ cause: String, isFollowed: Bool) async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/b", with: .generated(bytes: 300_000))
        if cause == "retry" {
            site.server.enqueue(
                Response.generated(bytes: 400_000).status(503).held(by: gate), .generated(bytes: 300_000))
        } else {
            let redirect = Response.generated(bytes: 400_000).status(302).header("Location", "/b")
            site.server.answer("/a", with: redirect.held(by: gate))
        }
        let client = site.client().with { $0.retryPolicy = .custom { _ in .zero } }
        let call = Fetch<Data>(.get("/a"), of: client).start()
        try await gate.reached()
        let stream = isFollowed ? call.progress : nil
        gate.open()
        let followed = if let stream { await all(stream) } else { [CallProgress]() }
        #expect(try await call.value.count == 300_000)
        #expect(await all(call.progress) == [CallProgress(received: 300_000, receivedTotal: 300_000)])
        guard isFollowed else { return }
        #expect(followed.last == CallProgress(received: 300_000, receivedTotal: 300_000))
        // The body of a redirect does not count.
        if cause == "redirect" { #expect(followed.allSatisfy { $0.received <= 300_000 }) }
    }

    @Test func sentBytesStartAgainWhenTheBodyDoes() async throws {
        let site = try Site()
        let (gate, files) = (Gate(), ScratchFiles())
        site.server.enqueue(Response.text("later", status: 503), Response.text("ok").held(by: gate))
        let file = try files.file("a", Data(count: 200_000))
        let client = site.client().with { $0.retryPolicy = .custom { _ in .zero } }
        let call = Fetch<String>(.put("/a", body: .file(file)), of: client).start()
        let progress = call.progress
        try await gate.reached()
        gate.open()
        #expect(await all(progress).last?.sent == 200_000)
        #expect(try await call.value == "ok")
        #expect(call.attempts.count == 2)
    }

    @Test func progressEndsWhenAnUnsentCallFails() async throws {
        let site = try Site()
        let progress = await all(Fetch<Void>(.undeclared, of: site.client()).start().progress)
        #expect(progress == [CallProgress()])
    }

    @Test func progressEndsWhenACallFailsMidway() async throws {
        let site = try Site()
        let gate = Gate()
        let answer = Response.generated(bytes: 1_000_000).failing(.reset, at: .responseBody)
        site.server.answer("/a", with: answer.held(by: gate))
        let call = Fetch<Data>(.get("/a"), of: site.client()).start()
        try await gate.reached()
        var follower = call.progress.makeAsyncIterator()
        var progress = [try #require(await follower.next())]
        #expect(progress == [CallProgress()])
        gate.open()
        while let next = await follower.next() { progress.append(next) }
        #expect(progress.last?.received == call.core.transportProgress.snapshot.received)
        #expect(progress.allSatisfy { $0.received < 1_000_000 })
        #expect(call.state == .finished(.failure))
        // A later follower receives the last progress and then the end.
        #expect(await all(call.progress) == progress.suffix(1))
    }

    @Test(
        arguments: [
            (CallProgress(), nil), (CallProgress(received: 5), nil),
            (CallProgress(received: 5, receivedTotal: 10), 0.5),
            (CallProgress(receivedTotal: 0), 1), (CallProgress(sent: 1, sentTotal: 4), 0.25),
            (CallProgress(sent: 4, sentTotal: 4, received: 1, receivedTotal: 2), 0.5),
            (CallProgress(sent: 4, sentTotal: 4, received: 1), nil), (CallProgress(received: 20, receivedTotal: 10), 1),
            // Values that no transport should report.
            (CallProgress(received: 5, receivedTotal: -10), nil), (CallProgress(receivedTotal: -1), nil),
            (CallProgress(sent: 5, sentTotal: .min), nil), (CallProgress(received: -5, receivedTotal: 10), 0),
            (CallProgress(received: .max, receivedTotal: .max), 1), (CallProgress(received: .min, receivedTotal: 0), 1),
        ] as [(CallProgress, Double?)])
    func fractionIsOfTheActiveDirection(progress: CallProgress, fraction: Double?) {
        #expect(progress.fraction == fraction)
    }
}
