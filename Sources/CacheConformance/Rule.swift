/// A rule of the contract: a sentence and a check.
struct Rule: Sendable {
    let sentence: String

    /// Throws a ``Mismatch`` if the store breaks the rule. The store is empty at first.
    let check: @Sendable (Trial) async throws -> Void

    init(_ sentence: String, check: @escaping @Sendable (Trial) async throws -> Void) {
        self.sentence = sentence
        self.check = check
    }
}

/// A difference that shows that a store breaks a rule.
struct Mismatch: Error {
    let expected: String
    let got: String
}

extension Rule {
    /// All rules of the contract, from basic to demanding ones.
    static let all: [Self] =
        keys + bodies + metadata + details + times + changes + removals + progress + listing + expiry + many + groups
        + readers + writers + concurrency + overlaps + cancellation + history + feed
}
