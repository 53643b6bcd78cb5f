/// A set of field names, compared without regard to the case of ASCII letters.
///
/// A server may list thousands of names in one field of a response. The time of a lookup does not depend on their
/// number.
package struct FieldNames: Sendable {
    private var names: Set<ExactString> = []

    package init() {}

    package init(_ names: some Sequence<some StringProtocol>) {
        insert(names)
    }

    package var isEmpty: Bool { names.isEmpty }

    package mutating func insert(_ more: some Sequence<some StringProtocol>) {
        for name in more { names.insert(Self.form(String(name))) }
    }

    package func contains(_ name: String) -> Bool {
        !names.isEmpty && names.contains(Self.form(name))
    }

    private static func form(_ name: String) -> ExactString {
        ExactString(name[...].lowercasedToken)
    }
}
