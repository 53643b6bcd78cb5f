import Testing

@testable import RedisStore

@Suite struct ReadQueueTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)
    private static let soon = start + .microseconds(99)
    private static let later = start + .microseconds(100)

    private func queue(of keys: Range<Int>) -> ReadQueue<Int> {
        var queue = ReadQueue<Int>()
        for key in keys { queue.add(key) }
        return queue
    }

    @Test func firstKeyIsReadAtOnce() {
        var queue = queue(of: 0..<1)
        #expect(queue.next(now: Self.start) == [0])
        #expect(queue.next(now: Self.start) == [])
    }

    @Test(
        arguments: [
            (1, start, []), (1, soon, []), (1, later, [1]), (63, soon, []), (64, soon, Array(1...64)),
        ] as [(Int, MonotonicTime, [Int])])
    func keysWaitShortlyWhileAReadIsInFlight(_ count: Int, _ now: MonotonicTime, _ expected: [Int]) {
        var queue = queue(of: 0..<1)
        _ = queue.next(now: Self.start)
        for key in 1...count { queue.add(key) }
        #expect(queue.next(now: now) == expected)
    }

    @Test func keysThatWaitAreReadTogetherOnceTheReadEnds() {
        var queue = queue(of: 0..<1)
        _ = queue.next(now: Self.start)
        for key in 1...5 { queue.add(key) }
        #expect(queue.next(after: 1, now: Self.soon) == Array(1...5))
        #expect(queue.next(after: 1, now: Self.soon) == [])
        queue.add(6)
        #expect(queue.next(now: Self.soon) == [6])
    }

    @Test func atMostFourReadsAreInFlight() {
        var queue = ReadQueue<Int>()
        var now = Self.start
        var sent = 0
        for key in 0..<400 {
            queue.add(key)
            if !queue.next(now: now).isEmpty { sent += 1 }
            now = now + .milliseconds(1)
        }
        #expect(sent == 4)
        #expect(queue.next(after: 1, now: now) == Array(4..<260))
    }

    @Test func aReadHasAtMost256Keys() {
        var queue = queue(of: 0..<300)
        #expect(queue.next(now: Self.start) == Array(0..<256))
        #expect(queue.next(after: 1, now: Self.start) == Array(256..<300))
    }
}
