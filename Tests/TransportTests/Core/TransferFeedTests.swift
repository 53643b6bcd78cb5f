import Foundation
import Testing

@testable import TangoRequest
@testable import TangoTransport
@testable import TestSupport

/// The buffer between a transport and the reader of a response.
@Suite struct TransferFeedTests {
    private var feed = TransferFeed { _ in }

    private func isResponse(_ waiter: TransferFeed.Waiter?) -> Bool {
        if case .response = waiter { true } else { false }
    }

    /// Returns a description of the next step of the reader.
    private mutating func read(below mark: Int = 0) -> String {
        switch feed.step(below: mark).0 {
        case .portion(let portion): "\(Array(portion))"
        case .end(.success): "success"
        case .end(.failure): "failure"
        case .end(.cancelled): "cancelled"
        case .wait: "wait"
        }
    }

    @Test("the server is paused once, and resumed when the reader has caught up")
    mutating func serverIsPausedOnce() {
        let portion = Data(count: 6)
        for _ in 0..<2 {
            let held = (0..<4).map { _ in feed.add(portion, below: 10) }
            #expect(held == [false, true, false, false])
            let released = (0..<4).map { _ in
                let makesRoom = feed.step(below: 5).makesRoom
                if makesRoom { feed.isHeld = false }
                return makesRoom
            }
            #expect(released == [false, false, false, true])
        }
        let isHeld = feed.add(Data(count: 1000), below: .max)
        #expect(!isHeld)
        #expect(!feed.isHeld)
    }

    @Test mutating func finishedTransferIsNotResumed() {
        let isHeld = feed.add(Data(count: 10), below: 10)
        feed.ending = .success
        let makesRoom = feed.step(below: 5).makesRoom
        #expect(isHeld)
        #expect(!makesRoom)
    }

    @Test mutating func portionsAreReadInOrderAndCounted() {
        feed.add([Data([1]), Data([2, 3])])
        feed.add([Data([4])])
        #expect(feed.unread == 4)
        let first = read()
        #expect(first == "[1]")
        #expect(feed.unread == 3)
        let rest = feed.takeAll()
        #expect(rest == Data([2, 3, 4]))
        let next = read()
        #expect(next == "wait")
    }

    @Test mutating func theEndFollowsTheLastPortionAndACancellationPrecedesIt() {
        feed.add([Data([1])])
        feed.ending = .success
        let first = [read(), read()]
        #expect(first == ["[1]", "success"])
        feed.add([Data([1])])
        feed.ending = .cancelled
        let last = read()
        #expect(last == "cancelled")
    }

    @Test mutating func theCompletionIsTakenOnceWithTheHead() {
        feed.add([Data([1])])
        let early = feed.takeWaiter()
        feed.hasHead = true
        let waiters = [early, feed.takeWaiter(), feed.takeWaiter()]
        #expect(waiters.map(isResponse) == [false, true, false])
    }

    @Test mutating func theCompletionIsTakenAtTheEndWithoutAHead() {
        feed.ending = .cancelled
        let waiters = [feed.takeWaiter(), feed.takeWaiter()]
        #expect(waiters.map(isResponse) == [true, false])
    }
}
