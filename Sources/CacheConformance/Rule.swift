extension CacheStoreConformance {
    /// One sentence of the contract, and a way to see whether a store keeps it.
    struct Rule: Sendable {
        let sentence: String

        /// Throws a ``Mismatch`` where the store, which is empty at first, does something else.
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
}

extension CacheStoreConformance.Rule {
    /// The whole contract, from what all stores need to what only some find hard.
    static let all: [Self] =
        keys + bodies + metadata + details + times + changes + removals + progress + listing + expiry + many + groups
        + readers + writers + concurrency + cancellation
}
