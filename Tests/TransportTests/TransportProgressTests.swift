import Foundation
import LoopbackServer
import Testing

@testable import TangoCurl
@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20))) struct TransportProgressTests {
    @Test(
        arguments: [
            (CallProgress(sent: -1, sentTotal: -1, received: -1, receivedTotal: -1), CallProgress()),
            (CallProgress(sent: .min, sentTotal: .min, received: .min, receivedTotal: .min), CallProgress()),
            (
                CallProgress(sent: 0, sentTotal: 0, received: 0, receivedTotal: 0),
                CallProgress(sent: 0, sentTotal: 0, received: 0, receivedTotal: 0)
            ),
            (
                CallProgress(sent: 3, sentTotal: -7, received: -2, receivedTotal: 8),
                CallProgress(sent: 3, sentTotal: nil, received: 0, receivedTotal: 8)
            ),
        ])
    func negativeNumbersAreDropped(written: CallProgress, read: CallProgress) {
        let progress = TransportProgress()
        let followed = Recorded<CallProgress>()
        progress.follow { followed.add($0) }
        progress.note { $0 = written }
        #expect(progress.snapshot == read)
        #expect(followed.all == [read])
    }

    @Test func aCallNeverShowsTheNegativeLengthOfATransport() async throws {
        struct Lying: Transport {
            let capabilities: TransportCapabilities = []
            func start(
                _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
            ) -> TransportTask {
                options.progress?.note { $0 = CallProgress(sent: -1, sentTotal: -5, received: -1, receivedTotal: -5) }
                completion { HTTPResponse(status: 200, body: Data("ok".utf8), request: request) }
                return .completed
            }
            func shutdown() async {}
        }
        let client = Client(baseURL: URL(string: "http://localhost")) { $0.transport = Lying() }
        let call = Fetch<Data>(.get("/a"), of: client).start()
        _ = try await call.value
        for await progress in call.progress { #expect(progress == CallProgress()) }
    }

    @Test func aFollowerMayReplaceItself() {
        let progress = TransportProgress()
        let followed = Recorded<Int>()
        progress.follow { _ in
            followed.add(1)
            progress.follow { _ in followed.add(2) }
        }
        progress.note { $0.sent = 1 }
        progress.note { $0.sent = 2 }
        #expect(followed.all == [1, 2])
    }

    @Test func aReplacedFollowerIsReleasedOutsideTheLock() {
        final class Reader: Sendable {
            let progress: TransportProgress
            let seen: Recorded<Int>
            init(_ progress: TransportProgress, _ seen: Recorded<Int>) { (self.progress, self.seen) = (progress, seen) }
            deinit { seen.add(progress.snapshot.sent) }
        }
        let progress = TransportProgress()
        let seen = Recorded<Int>()
        do {
            let reader = Reader(progress, seen)
            progress.follow { _ in _ = reader }
        }
        progress.note { $0.sent = 7 }
        progress.follow { _ in }
        #expect(seen.all == [7])
    }

    #if os(Linux)
        /// Work that a follower resumes may run on the follower's thread, so it must not block the loop of libcurl.
        @Test(arguments: [true, false])
        func followersRunAfterThePassOfTheLoop(isUpload: Bool) async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            server.answer(with: isUpload ? .text("ok") : .generated(bytes: 5_000_000))
            try CurlLibrary.require()
            let loop = try CurlLoop(CurlConfiguration(proxy: .direct))
            let atRest = Recorded<Bool>()
            let progress = TransportProgress()
            progress.follow { _ in atRest.add(loop.isAtRest) }
            let body: Body = isUpload ? .stream(Portions { $0 < 100 ? generated(50_000) : nil }) : .none
            let arrival = Arrival()
            let transfer = try CurlTransfer(
                HTTPRequest(.put, server, body: body), options: TransportOptions(progress: progress), on: loop,
                completion: arrival.completion)
            transfer.start()
            #expect(try await arrival.response.status == 200)
            // Another thread may run the loop at the same time, but not always.
            #expect(atRest.all.contains(true))
            #expect(progress.snapshot.sent == (isUpload ? 5_000_000 : 0))
            #expect(progress.snapshot.received == (isUpload ? 2 : 5_000_000))
            loop.submit(.retire)
            await loop.ended()
        }
    #endif
}
