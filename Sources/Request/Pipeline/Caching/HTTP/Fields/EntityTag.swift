/// An entity tag: the name of a version of a resource (RFC 9110, 8.8.3).
package struct EntityTag: Equatable, Sendable {
    /// The text as it was written, with its quotes and its `W/`.
    package let text: String

    /// Accepts any text that is not blank, because some servers send tags without quotes.
    package init?(_ text: some StringProtocol) {
        let text = Substring(text).withoutBlanks
        guard !text.isEmpty else { return nil }
        self.text = String(text)
    }

    /// A Boolean value that indicates whether versions with this tag may differ in their bytes.
    package var isWeak: Bool { text.utf8.starts(with: "W/".utf8) || text.utf8.starts(with: "w/".utf8) }

    private var opaque: Substring.UTF8View { isWeak ? text.utf8.dropFirst(2) : text.utf8[...] }

    package static func == (one: EntityTag, other: EntityTag) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    package func hash(into hasher: inout Hasher) {
        text.hashBytes(into: &hasher)
    }

    /// Returns whether both tags name the same bytes. Weak tags never do.
    func isStronglyEqual(to other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && self == other
    }

    /// Returns whether both tags name the same content. Ignores `W/`.
    func isWeaklyEqual(to other: EntityTag) -> Bool {
        opaque.elementsEqual(other.opaque)
    }

    /// Parses the tags of an `If-None-Match`. Returns nil for `*`. A backslash is an ordinary character of a tag.
    static func list(_ values: [String]) -> [EntityTag]? {
        let elements = FieldList.elements(of: values, escapes: false)
        if elements.contains("*") { return nil }
        return elements.compactMap { EntityTag($0) }
    }
}
