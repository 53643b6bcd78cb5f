/// An option of a command: what it is called, and what it does.
struct Option: Sendable {
    /// With its dashes.
    let name: String

    /// What stands for its value in the help; nil if it takes none.
    let value: String?

    let summary: String

    init(_ name: String, takes value: String? = nil, _ summary: String) {
        self.name = name
        self.value = value
        self.summary = summary
    }

    /// As it is written.
    var form: String { value.map { "\(name) \($0)" } ?? name }
}
