extension String? {
    /// A Boolean value that indicates whether both are nil, or both have the same UTF-8 bytes.
    func hasSameBytes(as other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameBytes(as: other)
    }
}
