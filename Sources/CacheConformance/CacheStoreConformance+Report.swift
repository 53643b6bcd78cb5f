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
