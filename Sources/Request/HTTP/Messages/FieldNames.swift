/// A set of field names, compared without regard to the case of ASCII letters.
///
/// A server may list thousands of names in one field of a response. The time of a lookup does not depend on their
/// number.
struct FieldNames: Sendable {
    private var names: Set<ExactString> = []

    init() {}

    init(_ names: some Sequence<some StringProtocol>) {
        insert(names)
    }

    var isEmpty: Bool { names.isEmpty }

    mutating func insert(_ more: some Sequence<some StringProtocol>) {
        for name in more { names.insert(Self.form(String(name))) }
    }

    func contains(_ name: String) -> Bool {
        !names.isEmpty && names.contains(Self.form(name))
    }

    private static func form(_ name: String) -> ExactString {
        ExactString(name[...].lowercasedToken)
    }
}
