/// An option of a command, with its name and its description.
struct Option: Sendable {
    /// The name with its dashes.
    let name: String

    /// The placeholder for its value in the help; nil if it takes none.
    let value: String?

    let summary: String

    init(_ name: String, takes value: String? = nil, _ summary: String) {
        self.name = name
        self.value = value
        self.summary = summary
    }

    /// The option as users write it.
    var form: String { value.map { "\(name) \($0)" } ?? name }
}
