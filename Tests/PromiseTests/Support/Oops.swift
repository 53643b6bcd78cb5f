import Testing

/// An error for tests, identified by its name.
struct Oops: Error, Equatable {
    var name = ""

    init(_ name: String = "") {
        self.name = name
    }
}

extension Result {
    /// Returns the error, to compare it with the expected one.
    func error<Expected: Error>(as _: Expected.Type = Expected.self) -> Expected? {
        if case .failure(let error) = self { error as? Expected } else { nil }
    }
}

extension Result where Success == Void {
    /// Fails the test if this is a failure.
    func check(_ location: SourceLocation = #_sourceLocation) {
        if case .failure(let error) = self { Issue.record(error, sourceLocation: location) }
    }
}
