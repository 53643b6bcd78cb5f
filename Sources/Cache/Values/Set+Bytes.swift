extension Set<String> {
    /// Whether a text with these bytes is in the set.
    ///
    /// `contains` takes canonically equivalent texts for equal, such as `"é"` in its composed and its decomposed form. The
    /// stores compare bytes, as keys do.
    package func containsBytes(of text: String) -> Bool {
        guard let index = firstIndex(of: text) else { return false }
        return self[index].utf8.elementsEqual(text.utf8)
    }
}
