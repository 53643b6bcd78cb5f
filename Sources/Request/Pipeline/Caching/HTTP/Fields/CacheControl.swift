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
}
