/// `Cache-Control`, taken apart (RFC 9111, 5.2): names in lower case, with the text behind `=`.
struct CacheControl {
    /// The directives in order. One whose name is no token, or has blanks before the `=`, is not there; but what forbids is
    /// heard where semicolons stand for commas.
    private(set) var directives: [(name: String, argument: String?)] = []

    init(_ values: [String]) {
        for element in FieldList.elements(of: values) {
            let end = element.utf8.firstIndex(of: UInt8(ascii: "=")) ?? element.endIndex
            let name = element[..<end]
            guard name.isToken else {
                for part in element.split(separator: ";") {
                    let name = part.withoutBlanks.lowercasedToken
                    if name == "no-store" || name == "no-cache" { directives.append((name, nil)) }
                }
                continue
            }
            let argument = end == element.endIndex ? nil : element[element.utf8.index(after: end)...].unquoted
            directives.append((name.lowercasedToken, argument))
        }
    }

    func contains(_ name: String) -> Bool {
        directives.contains { $0.name == name }
    }

    /// The arguments of each directive of a name.
    func arguments(of name: String) -> [String?] {
        directives.compactMap { $0.name == name ? .some($0.argument) : nil }
    }

    /// The least of the seconds that directives of a name have, leaving out what is no number.
    func least(_ name: String) -> Int? {
        arguments(of: name).compactMap { $0.flatMap { DeltaSeconds.parse($0) } }.min()
    }

    /// The least of the seconds that directives of a name have, where what is no number counts as none at all.
    ///
    /// Directives that contradict each other, or cannot be read, make a response stale (RFC 9111, 4.2.1).
    func leastOrZero(_ name: String) -> Int? {
        arguments(of: name).map { $0.flatMap { DeltaSeconds.parse($0) } ?? 0 }.min()
    }
}
