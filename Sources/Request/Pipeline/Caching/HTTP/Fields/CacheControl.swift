/// The directives of a `Cache-Control` (RFC 9111, 5.2): names in lower case, and the text after `=`.
struct CacheControl {
    /// The directives in order, without those whose name is not a token or has blanks before the `=`.
    ///
    /// `no-store` and `no-cache` also count if semicolons separate them instead of commas.
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

    /// Returns the arguments of all directives with a name.
    func arguments(of name: String) -> [String?] {
        directives.compactMap { $0.name == name ? .some($0.argument) : nil }
    }

    /// Returns the smallest number of seconds of the directives with a name. Ignores malformed numbers.
    func least(_ name: String) -> Int? {
        arguments(of: name).compactMap { $0.flatMap { DeltaSeconds.parse($0) } }.min()
    }

    /// Returns the smallest number of seconds of the directives with a name. A malformed number counts as zero.
    ///
    /// So malformed directives make a response stale, and of contradictory ones the strictest counts (RFC 9111, 4.2.1).
    func leastOrZero(_ name: String) -> Int? {
        arguments(of: name).map { $0.flatMap { DeltaSeconds.parse($0) } ?? 0 }.min()
    }
}
