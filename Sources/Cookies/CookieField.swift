/// The field `Cookie` of a request.
enum CookieField {
    /// Adds cookies to the headers of a request.
    ///
    /// A request that has cookies of its own keeps them, at the beginning. Of the added ones, those with the name of one
    /// of its own are left out. So the function changes nothing if it is called again.
    static func add(_ cookies: String, to headers: inout Headers) {
        guard headers.contains("Cookie") else { return headers.append(name: "Cookie", value: cookies) }
        headers.set(name: "Cookie", value: merged(own: headers.all("Cookie"), cookies))
    }

    static func merged(own: [String], _ cookies: String) -> String {
        let ownPairs = own.flatMap { pairs(of: $0) }
        let names = Set(ownPairs.map { name(of: $0) })
        let others = pairs(of: cookies).filter { !names.contains(name(of: $0)) }
        return (ownPairs + others).joined(separator: "; ")
    }

    private static func pairs(of field: String) -> [Substring] {
        field.utf8.split(separator: UInt8(ascii: ";")).map { Substring($0).withoutBlanks }.filter { !$0.isEmpty }
    }

    /// Returns the name of a pair; the whole text for a cookie without a name.
    private static func name(of pair: Substring) -> ExactString {
        ExactString(String(Substring(pair.utf8.prefix { $0 != UInt8(ascii: "=") }).withoutBlanks))
    }
}
