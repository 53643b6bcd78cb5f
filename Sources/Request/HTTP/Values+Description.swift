extension Multipart: CustomStringConvertible {
    /// The number of parts, and their names.
    public var description: String {
        "form with \(parts.count) parts: \(parts.map(\.description).joined(separator: ", "))"
    }
}

extension Multipart.Part: CustomStringConvertible {
    /// The name, and those of the file and the type, without the content.
    public var description: String {
        name.debugDescription + (fileName.map { " from \($0.debugDescription)" } ?? "")
            + (type.map { " (\($0))" } ?? "")
    }
}

extension BodyStream: CustomStringConvertible {
    public var description: String { "a streamed body" }
}
