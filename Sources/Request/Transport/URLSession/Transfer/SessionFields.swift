/// The fields of a request as they are given to `URLSession`, one for each name.
struct SessionFields: Equatable {
    /// How long a body says that it is.
    enum Length: Equatable {
        case none
        case known(Int)
        case unknown
    }

    private(set) var fields: [(name: String, value: String)] = []

    static func == (one: SessionFields, other: SessionFields) -> Bool {
        one.fields.elementsEqual(other.fields) { $0 == $1 }
    }

    /// Removes what `URLSession` on Linux would add by itself: it hands this on to libcurl, to which a field with nothing but a
    /// blank is one that is not to be sent.
    private static let blank = " "
    private static let uninvited = ["User-Agent", "Accept", "Accept-Language", "Connection", "Expect"]

    /// - Parameter suppresses: Whether blank values keep fields from being sent, as they do on Linux.
    init(
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
            // Methods that are expected to have a body say that it is empty.
            let isExpected = method == .post || method == .put || method == .patch
            if isExpected { add("Content-Length", "0") }
            if !isExpected, suppresses, method != .get { add("Content-Length", Self.blank) }
        }
        if !decodes, !has("Accept-Encoding") { add("Accept-Encoding", suppresses ? Self.blank : "identity") }
        guard suppresses else { return }
        for name in Self.uninvited where !has(name) { add(name, Self.blank) }
        if length != .none, !has("Content-Type") { add("Content-Type", Self.blank) }
    }

    private func has(_ name: String) -> Bool {
        fields.contains { $0.name.isSameField(as: name) }
    }

    /// Several fields of one name are the same as one with all their values (RFC 9110, 5.3; RFC 6265, 5.4).
    private mutating func add(_ name: String, _ value: String) {
        guard let place = fields.firstIndex(where: { $0.name.isSameField(as: name) }) else {
            return fields.append((name, value))
        }
        fields[place].value += (name.isSameField(as: "Cookie") ? "; " : ", ") + value
    }
}

extension String {
    /// Whether a field says how long a body is: what is said there must be true, so that the transport says it.
    fileprivate var isFramingField: Bool {
        isSameField(as: "Content-Length") || isSameField(as: "Transfer-Encoding")
    }

    fileprivate var isBlankField: Bool {
        utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }
}
