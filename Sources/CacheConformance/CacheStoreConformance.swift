/// A check of your own store against the contract of `CacheStore`.
///
/// ```swift
/// try await CacheStoreConformance.check { try MyStore() }
/// ```
///
/// It works with any test library. The error lists the rules that the store breaks, in plain sentences.
public enum CacheStoreConformance {
    /// Checks every rule of the contract, and throws one ``Report`` about all rules that the store breaks.
    ///
    /// Each rule has a store of its own. The stores may share a folder or a server. The check removes all entries
    /// before each rule and at the end. **So never check a store whose entries matter.**
    ///
    /// The bodies have up to 3 MB, and there are up to 300 entries at once. A store with limits needs room for them.
    ///
    /// - Parameter make: Creates a store. If it throws, the check ends with that error.
    public static func check<Store: CacheStore>(_ make: @escaping @Sendable () async throws -> Store) async throws {
        var violations: [Report.Violation] = []
        for rule in Rule.all {
            try Task.checkCancellation()
            let trial = Trial(store: try await make(), another: make)
            do {
                try await trial.store.removeAll()
                try await rule.check(trial)
            } catch let mismatch as Mismatch {
                violations.append(.init(rule: rule.sentence, expected: mismatch.expected, got: mismatch.got))
            } catch {
                violations.append(.init(rule: rule.sentence, expected: "no error", got: "the error \(error)"))
            }
        }
        guard violations.isEmpty else {
            try? await make().removeAll()
            throw Report(violations: violations, held: Rule.all.count - violations.count)
        }
        try await make().removeAll()
    }
}

extension CacheStoreConformance {
    /// The rules that a store breaks. Its description is a numbered list.
    public struct Report: Error, Sendable {
        /// A rule that the store breaks, with the first difference.
        public struct Violation: Sendable, Hashable {
            /// The rule, in a sentence.
            public let rule: String

            /// The result of a correct store.
            public let expected: String

            /// The result of this store.
            public let got: String
        }

        /// The rules that the store breaks.
        public let violations: [Violation]

        /// The number of rules that the store follows.
        public let held: Int
    }
}

extension CacheStoreConformance.Report: CustomStringConvertible {
    public var description: String {
        let list = violations.enumerated().map { index, violation in
            "\(index + 1). \(violation.rule)\n   expected: \(violation.expected)\n   got: \(violation.got)"
        }
        let rules = violations.count == 1 ? "1 rule" : "\(violations.count) rules"
        return "The store breaks \(rules) of the contract and follows \(held).\n\n\(list.joined(separator: "\n\n"))"
    }
}
