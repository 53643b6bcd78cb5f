import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

struct ExactStringTests {
    /// A word with an accented letter as one scalar, and as a letter with a combining accent.
    static let composed = "caf\u{E9}"
    static let decomposed = "cafe\u{301}"

    static let pairs: [(one: String, other: String, areSame: Bool)] = [
        ("", "", true), ("a", "a", true), ("a", "A", false), ("a", "ab", false), ("", "a", false),
        (composed, composed, true), (composed, decomposed, false),
        // Two combining marks in either order: equivalent, with the same length.
        ("a\u{323}\u{307}", "a\u{307}\u{323}", false),
        // The Kelvin sign is equivalent to the letter.
        ("\u{212A}", "K", false),
        (String(repeating: "x", count: 100), String(repeating: "x", count: 100), true),
        (String(repeating: "x", count: 100), String(repeating: "x", count: 99) + "y", false),
    ]

    @Test(arguments: pairs)
    func stringsAreTheSameIfTheirBytesAreEqual(one: String, other: String, areSame: Bool) {
        #expect(one.hasSameBytes(as: other) == areSame)
        #expect(other.hasSameBytes(as: one) == areSame)
        #expect((ExactString(one) == ExactString(other)) == areSame)
        #expect(Set([ExactString(one), ExactString(other)]).count == (areSame ? 1 : 2))
    }

    @Test func equivalentStringsAreEqualAsStrings() {
        #expect(Self.composed == Self.decomposed)
    }

    @Test func slicesAndSubstringsCompareByTheirBytes() {
        #expect(String("/users/1?x".prefix(8)).hasSameBytes(as: "/users/1"))
    }

    @Test func hashesFollowTheBytes() {
        func hash(_ text: String) -> Int {
            var hasher = Hasher()
            text.hashBytes(into: &hasher)
            return hasher.finalize()
        }
        let long = String(repeating: "x", count: 40)
        #expect(hash(long) == hash(String(long.map { $0 })))
        #expect(hash(Self.composed) != hash(Self.decomposed))
    }
}
