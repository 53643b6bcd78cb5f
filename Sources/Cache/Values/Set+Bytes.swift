extension Set<String> {
    /// Returns whether the set contains a text with these bytes.
    ///
    /// `contains` considers canonically equivalent texts equal, such as the composed and the decomposed form of `"é"`.
    /// Stores compare bytes, as keys do.
    package func containsBytes(of text: String) -> Bool {
        guard let index = firstIndex(of: text) else { return false }
        return self[index].utf8.elementsEqual(text.utf8)
    }
}
