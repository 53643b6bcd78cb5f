/// The fields of the request that a response depends on: `Vary` (RFC 9110, 12.5.5).
enum Vary: Equatable, Sendable {
    /// The response depends on more than the request, so no other request matches it for certain.
    case anything
    /// The names in lower case, sorted, each once. Empty if there is no `Vary`.
    case fields([String])

    /// The highest number of fields. A response that names more varies by anything, because the server could make the
    /// comparison as slow as it likes.
    static let limit = 32

    init(_ headers: Headers) {
        let values = headers.all("Vary")
        guard !values.isEmpty else {
            self = .fields([])
            return
        }
        let names = Set(FieldList.elements(of: values).map(\.lowercasedToken))
        self = names.count > Self.limit || names.contains("*") ? .anything : .fields(names.sorted())
    }
}

/// A field that selects a response, with its value in the request for that response.
struct SelectingField: Sendable {
    /// The name in lower case.
    let name: String
    /// The value in the form of ``SelectingValue``; nil if the request had no such field.
    let value: String?
    /// The value as it was sent, if there was one. Most requests send the same text, which is quick to compare.
    let sent: String?

    init(name: String, value: String?, sent: String? = nil) {
        self.name = name
        self.value = value
        self.sent = sent
    }

    /// Creates the selecting field of a request with these headers.
    init(name: String, in headers: Headers) {
        let all = headers.all(name)
        self.init(
            name: name, value: SelectingValue.stored(name, in: headers),
            sent: all.count == 1 && SelectingValue.isOpen(name) ? all[0] : nil)
    }

    /// Returns whether a request with these headers matches the response, as far as this field is concerned.
    func matches(_ headers: Headers, contentLanguage: String?) -> Bool {
        var count = 0
        var first = ""
        for field in headers.fields where field.name.isSameField(as: name) {
            if count == 0 { first = field.value }
            count += 1
        }
        if count == 0 { return value == nil }
        guard let value else { return false }
        if count == 1, let sent, first.hasSameBytes(as: sent) { return true }
        if let other = SelectingValue.stored(name, in: headers), value.hasSameBytes(as: other) { return true }
        // Content in the most preferred language matches, whatever other languages the request names.
        guard name == "accept-language", let contentLanguage,
            let preferred = SelectingValue.preferred(SelectingValue.of(name, in: headers))
        else { return false }
        return preferred.isSameField(as: contentLanguage)
    }
}

extension SelectingField {
    /// Returns the fields of a request that have selected a response, apart from those in its key.
    ///
    /// - Parameters:
    ///   - headers: The fields of the response.
    ///   - hasIdentity: A Boolean value that indicates whether the key has an identity, which stands for
    ///     `Authorization`. Cookies may change without another user. A key without one has the digest of all credentials.
    ///   - negotiated: The names of the fields in the key: see ``ResponseKey/negotiated(isNamed:)``.
    static func all(
        in headers: Headers, for request: Headers, hasIdentity: Bool, negotiated: [String] = []
    ) -> [SelectingField] {
        guard case .fields(let names) = Vary(headers) else { return [] }
        var fields: [SelectingField] = []
        for name in names where name[...].isToken {
            let isOwner = hasIdentity ? name == "authorization" : Credentials.isCredential(name)
            if isOwner || negotiated.contains(name) { continue }
            fields.append(SelectingField(name: name, in: request))
        }
        return fields
    }
}

/// Normalises the values of fields, so that values with the same meaning are equal (RFC 9111, 4.1).
enum SelectingValue {
    /// Returns whether values of a field are stored as they are, because they are preferences and not secret.
    static func isOpen(_ name: String) -> Bool {
        ["accept", "accept-charset", "accept-encoding", "accept-language", "origin", "user-agent"].contains(name)
    }

    /// Returns the value in its stored form: its digest, if it may be a secret.
    static func stored(_ name: String, in headers: Headers) -> String? {
        let value = of(name, in: headers)
        return isOpen(name) ? value : value.map { SHA256.hex($0.utf8) }
    }

    /// Returns the fields of a name as one list without needless blanks. Preferences are in lower case. Those of equal
    /// weight are in alphabetical order.
    static func of(_ name: String, in headers: Headers) -> String? {
        let values = headers.all(name)
        guard !values.isEmpty else { return nil }
        let elements = FieldList.elements(of: values)
        switch name {
        case "accept-language", "accept-encoding", "accept-charset": return preferences(elements)
        case "accept": return elements.map { withoutInnerBlanks($0) }.sorted().joined(separator: ",")
        default: return elements.joined(separator: ",")
        }
    }

    /// Returns the item with the highest weight in a list of preferences; nil if no single item has it.
    static func preferred(_ list: String?) -> String? {
        guard let list else { return nil }
        let items = list.split(separator: ",").map { weighed($0) }
        guard let best = items.first, best.weight > 0, !best.name.contains("*") else { return nil }
        return items.count == 1 || items[1].weight < best.weight ? best.name : nil
    }

    private static func preferences(_ elements: [Substring]) -> String {
        let items = elements.map { weighed($0) }
        let sorted = items.ordered { $0.weight == $1.weight ? $0.name < $1.name : $0.weight > $1.weight }
        return sorted.map { $0.weight == 1000 ? $0.name : "\($0.name);q=\($0.weight)" }.joined(separator: ",")
    }

    /// Returns a preference and its weight, in thousandths.
    private static func weighed(_ element: Substring) -> (name: String, weight: Int) {
        let parts = element.split(separator: ";", maxSplits: 1)
        let name = (parts.first ?? "").withoutBlanks.lowercasedToken
        guard parts.count == 2 else { return (name, 1000) }
        let parameter = parts[1].withoutBlanks
        guard parameter.lowercasedToken.hasPrefix("q=") else { return (element.lowercasedToken, 1000) }
        return (name, weight(parameter.dropFirst(2)) ?? 1000)
    }

    /// Returns a weight in thousandths: `0.5` is 500. Text from ``of(_:in:)`` is in thousandths already.
    private static func weight(_ text: Substring) -> Int? {
        let digits = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = ContentRange.place(digits[0]) else { return nil }
        guard digits.count == 2 else { return whole > 1 ? min(whole, 1000) : whole * 1000 }
        let places = (digits[1] + "000").prefix(3)
        guard let part = ContentRange.place(places) else { return nil }
        return min(min(whole, 1) * 1000 + part, 1000)
    }

    private static func withoutInnerBlanks(_ text: Substring) -> String {
        String(decoding: text.utf8.filter { !$0.isFieldBlank }.map(\.lowercasedASCII), as: UTF8.self)
    }
}
