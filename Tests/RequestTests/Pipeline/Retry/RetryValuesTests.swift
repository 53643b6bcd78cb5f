import Foundation
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The values that decisions about retries read: `Retry-After`, and the budget of a host.
struct RetryValuesTests {
    private static let now = 784_111_777.0  // Sun, 06 Nov 1994 08:49:37 GMT

    @Test(arguments: [
        (String?.none, Duration?.none), ("", nil), ("soon", nil), ("-1", nil), ("1.5", nil), ("1 2", nil),
        ("0", .zero), ("7", .seconds(7)), ("007", .seconds(7)),
        ("99999999999999999999999", .seconds(1 << 40)),
        ("Sun, 06 Nov 1994 08:49:47 GMT", .seconds(10)),
        ("Sunday, 06-Nov-94 08:49:47 GMT", .seconds(10)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", .zero),
        ("Sun, 06 Nov 1994 08:00:00 GMT", .zero),
    ])
    func retryAfterIsANumberOfSecondsOrADate(_ text: String?, _ wait: Duration?) {
        #expect(RetryAfter.wait(text, now: Self.now) == wait)
    }

    private static func address(_ host: String) throws -> ServerAddress {
        try ServerAddress(#require(URL(string: "http://\(host)/")))
    }

    @Test func retriesComeBackWithTime() throws {
        let buckets = RetryBudget(burst: 3, perRequest: 0, perSecond: 0.5).buckets
        let (a, b) = (try Self.address("a"), try Self.address("b"))
        #expect((0..<4).map { _ in buckets.take(for: a, at: 100) } == [true, true, true, false])
        // Each host has its own.
        #expect(buckets.take(for: b, at: 100))
        #expect(!buckets.take(for: a, at: 101.9))
        #expect(buckets.take(for: a, at: 102))
        #expect(!buckets.take(for: a, at: 102))
        // Time that goes back brings nothing, and does not count twice.
        #expect(!buckets.take(for: a, at: 50))
        #expect(!buckets.take(for: a, at: 102))
        // No more than the burst comes back.
        #expect((0..<4).map { _ in buckets.take(for: a, at: 1_000_000) } == [true, true, true, false])
    }

    @Test func retriesComeBackWithRequests() throws {
        let buckets = RetryBudget(burst: 2, perRequest: 0.5, perSecond: 0).buckets
        let (a, b) = (try Self.address("a"), try Self.address("b"))
        // Without a retry, requests are not counted, nor are their servers read.
        buckets.countRequest(
            to: {
                Issue.record("the server was read"); return a
            }(), at: 0)
        #expect((0..<3).map { _ in buckets.take(for: a, at: 0) } == [true, true, false])
        buckets.countRequest(to: b, at: 0)
        buckets.countRequest(to: a, at: 0)
        #expect(!buckets.take(for: a, at: 0))
        buckets.countRequest(to: a, at: 0)
        #expect(buckets.take(for: a, at: 0))
        // A host whose retries are all there is forgotten.
        for _ in 0..<4 { buckets.countRequest(to: a, at: 0) }
        #expect(buckets.count == 0)
        #expect((0..<3).map { _ in buckets.take(for: a, at: 0) } == [true, true, false])
    }

    @Test(arguments: [
        (RetryDecision.Failure.error(.notProcessed, .wait), false), (.status(.misdirectedRequest, before: 0), false),
        (.error(.connectionLost, .wait), true), (.error(.cannotConnect, .connect), true),
        (.status(.serviceUnavailable, before: 0), true),
    ])
    func declinedRequestsNeedNoBudget(_ failure: RetryDecision.Failure, _ usesBudget: Bool) {
        #expect(failure.usesBudget == usesBudget)
    }

    @Test func budgetsWithoutRetriesAndWithoutLimits() throws {
        let a = try Self.address("a")
        let none = RetryBudget(burst: 0).buckets
        #expect(!none.take(for: a, at: 0))
        #expect(!none.take(for: a, at: 1_000))
        let unlimited = RetryBudget.unlimited.buckets
        for _ in 0..<1_000 { #expect(unlimited.take(for: a, at: 0)) }
    }

    @Test func manyHostsNeedLittleMemory() throws {
        let buckets = RetryBudget(burst: 2, perSecond: 1).buckets
        for number in 0..<5_000 {
            #expect(buckets.take(for: try Self.address("h\(number)"), at: Double(number)))
        }
        #expect(buckets.count <= 1_001)
    }
}
