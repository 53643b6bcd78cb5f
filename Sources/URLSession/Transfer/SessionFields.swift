/// The fields of a request for `URLSession`, one for each name.
package struct SessionFields: Equatable {
    /// The declared length of a body.
    package enum Length: Equatable {
        case none
        case known(Int)
        case unknown
    }

    package private(set) var fields: [(name: String, value: String)] = []

    package static func == (one: SessionFields, other: SessionFields) -> Bool {
        one.fields.elementsEqual(other.fields) { $0 == $1 }
    }

    /// The value that removes a field that `URLSession` on Linux would add. It passes the field to libcurl, which does
    /// not send a field with a blank value.
    private static let blank = " "
    private static let automatic = ["User-Agent", "Accept", "Accept-Language", "Connection", "Expect"]

    /// - Parameter suppresses: A Boolean value that indicates whether blank values suppress fields, as on Linux.
    package init(
        _ headers: Headers, method: HTTPMethod, contentType: String?, length: Length, decodes: Bool, suppresses: Bool
    ) {
        for (name, value) in headers where !name.isFramingField { add(name, value.isBlankField ? "" : value) }
        if let contentType, !has("Content-Type") { add("Content-Type", contentType) }
        switch length {
        case .known(let count):
            add("Content-Length", "\(count)")
            if suppresses { add("Transfer-Encoding", Self.blank) }
        case .unknown: break
        case .none:
            // These methods usually have a body, so an empty one is declared.
            let isExpected = method == .post || method == .put || method == .patch
            if isExpected { add("Content-Length", "0") }
            if !isExpected, suppresses, method != .get { add("Content-Length", Self.blank) }
        }
        if !decodes, !has("Accept-Encoding") { add("Accept-Encoding", suppresses ? Self.blank : "identity") }
        guard suppresses else { return }
        for name in Self.automatic where !has(name) { add(name, Self.blank) }
        if length != .none, !has("Content-Type") { add("Content-Type", Self.blank) }
    }

    /// Joins the fields of one name, and changes nothing else.
    package init(joining headers: Headers) {
        for (name, value) in headers { add(name, value) }
    }

    private func has(_ name: String) -> Bool {
        fields.contains { $0.name.isSameField(as: name) }
    }

    /// Joins several fields of one name, which does not change their meaning (RFC 9110, 5.3; RFC 6265, 5.4).
    private mutating func add(_ name: String, _ value: String) {
        guard let place = fields.firstIndex(where: { $0.name.isSameField(as: name) }) else {
            return fields.append((name, value))
        }
        fields[place].value += (name.isSameField(as: "Cookie") ? "; " : ", ") + value
    }
}

extension String {
    /// A Boolean value that indicates whether a field declares the length of a body. The transport sets these fields
    /// itself, because they must be correct.
    fileprivate var isFramingField: Bool {
        isSameField(as: "Content-Length") || isSameField(as: "Transfer-Encoding")
    }

    fileprivate var isBlankField: Bool {
        utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }
}
