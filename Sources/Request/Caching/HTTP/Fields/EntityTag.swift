/// The name of a version of a resource (RFC 9110, 8.8.3), as it was written.
struct EntityTag: Hashable, Sendable {
    /// With its quotes and its `W/`.
    let text: String

    /// Takes what a field has. Servers also send tags without quotes, which name a version as well as any.
    init?(_ text: some StringProtocol) {
        let text = Substring(text).withoutBlanks
        guard !text.isEmpty else { return nil }
        self.text = String(text)
    }

    /// Whether versions of this name may differ in their bytes.
    var isWeak: Bool { text.utf8.starts(with: "W/".utf8) || text.utf8.starts(with: "w/".utf8) }

    private var opaque: Substring.UTF8View { isWeak ? text.utf8.dropFirst(2) : text.utf8[...] }

    static func == (one: EntityTag, other: EntityTag) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    func hash(into hasher: inout Hasher) {
        text.hashBytes(into: &hasher)
    }

    /// Whether both name the same bytes.
    func isStronglyEqual(to other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && self == other
    }

    /// Whether both name the same content.
    func isWeaklyEqual(to other: EntityTag) -> Bool {
        opaque.elementsEqual(other.opaque)
    }

    /// The tags of an `If-None-Match`; nil where it is `*`. A backslash is a character of a tag like others.
    static func list(_ values: [String]) -> [EntityTag]? {
        let elements = FieldList.elements(of: values, escapes: false)
        if elements.contains("*") { return nil }
        return elements.compactMap { EntityTag($0) }
    }
}
