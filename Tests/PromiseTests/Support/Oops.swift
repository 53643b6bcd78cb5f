import Testing

/// An error to fail with, told from others by its name.
struct Oops: Error, Equatable {
    var name = ""

    init(_ name: String = "") {
        self.name = name
    }
}

extension Result {
    /// The error, for comparing it with one that is expected.
    func error<Expected: Error>(as _: Expected.Type = Expected.self) -> Expected? {
        if case .failure(let error) = self { error as? Expected } else { nil }
    }
}

extension Result where Success == Void {
    /// Fails the test where this is a failure.
    func check(_ location: SourceLocation = #_sourceLocation) {
        if case .failure(let error) = self { Issue.record(error, sourceLocation: location) }
    }
}
