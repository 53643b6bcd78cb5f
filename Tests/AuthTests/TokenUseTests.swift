import Foundation
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

struct TokenUseTests {
    private static let now = Date(timeIntervalSince1970: 1_000_000)

    private static func situation(
        left: TimeInterval?, age: TimeInterval? = nil, isRejected: Bool = false, isRequested: Bool = false,
        pause: TimeInterval? = nil
    ) -> TokenUse.Situation {
        TokenUse.Situation(
            expires: left.map(now.addingTimeInterval), issued: age.map { now.addingTimeInterval(-$0) },
            isRejected: isRejected, isRequested: isRequested, renewsAfter: pause.map(now.addingTimeInterval), now: now,
            window: 60, skew: 5)
    }

    @Test(arguments: [
        (situation(left: nil), TokenUse.send),
        (situation(left: nil, isRejected: true), .wait),
        (situation(left: 3600), .send),
        (situation(left: 3600, isRejected: true), .wait),
        (situation(left: 60.1), .send),
        (situation(left: 60), .sendAndRenew),
        (situation(left: 5.1), .sendAndRenew),
        (situation(left: 5), .wait),
        (situation(left: 0), .wait),
        (situation(left: -1), .wait),
        // One request at a time, and a pause after one that failed.
        (situation(left: 30, isRequested: true), .send),
        (situation(left: 4, isRequested: true), .wait),
        (situation(left: 30, pause: 1), .send),
        (situation(left: 30, pause: 0), .sendAndRenew),
        // A token of 80 seconds is renewed in its last quarter.
        (situation(left: 21, age: 59), .send),
        (situation(left: 20, age: 60), .sendAndRenew),
        (situation(left: 60, age: 3540), .sendAndRenew),
        (situation(left: 30, age: -10), .send),
    ])
    func decision(_ situation: TokenUse.Situation, _ expected: TokenUse) {
        #expect(TokenUse.of(situation) == expected)
    }
}
