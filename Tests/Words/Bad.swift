/// What a doc comment must not open with.
struct Opening {
    /// Whether this is reported.
    let isReported: Bool
    /// Who reads it.
    ///
    /// - Parameter name: Where it is.
    func whoReads(name: String) {}
    /// A Boolean value that indicates whether this is reported: it is not.
    let isFine: Bool
    // What this comment says is not documentation, so it may open like this.
    /// The words `whoever` and `nobody` are code here, and therefore allowed.
    func read() {}
}

enum Words {
    /// A value that nobody reads.
    static let one = 1  // for whoever reads it
    static let text = "Somebody was here, and \(one) more."
    static let long = """
        A text over several lines, for
        everybody.
        """
    static let address = "https://example.com/nobody"
    func aValueThatNobodyReads() {}
    /// Requests that are under
    /// way.
    let requests = 0
}

/// A sentence of this length is hard to read, because its reader must keep the beginning in mind until the end has come,
/// which is more than most readers of documentation are willing to do on a long day.
///
/// A short one is easy. So is this one, which has two clauses, and which is followed by another. It is counted on its own.
struct Sentences {}
