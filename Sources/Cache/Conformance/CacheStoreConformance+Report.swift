extension CacheStoreConformance {
    /// What a store does not keep of the contract. Printed, it is a numbered list.
    public struct Report: Error, Sendable {
        /// A rule that the store does not keep, and where that showed first.
        public struct Violation: Sendable, Hashable {
            /// The rule, in a sentence.
            public let rule: String

            /// What a store that keeps the rule would have done.
            public let expected: String

            /// What this store did.
            public let got: String
        }

        /// The rules that the store does not keep.
        public let violations: [Violation]

        /// How many rules it does keep.
        public let held: Int
    }
}

extension CacheStoreConformance.Report: CustomStringConvertible {
    public var description: String {
        let list = violations.enumerated().map { index, violation in
            "\(index + 1). \(violation.rule)\n   expected: \(violation.expected)\n   got: \(violation.got)"
        }
        let rules = violations.count == 1 ? "1 rule" : "\(violations.count) rules"
        return "The store does not keep \(rules) of the contract; \(held) held.\n\n\(list.joined(separator: "\n\n"))"
    }
}
