/// A link of a `Link` header field (RFC 8288).
public struct Link: Hashable, Sendable {
    /// The target, as the server has written it: a URL, or a reference relative to that of the response.
    public let target: String
    /// The relation types in lower case, such as `next`.
    public let relations: [String]
    /// The other parameters, with names in lower case.
    public let parameters: [String: String]
}

extension HTTPResponse {
    /// The links of the `Link` header fields, in order. Links that are not well-formed are left out.
    public var links: [Link] { Link.links(in: headers.all("Link")) }
}

extension Link {
    /// Returns the links of several fields of one name.
    static func links(in values: [String]) -> [Link] {
        values.flatMap { value in
            var parser = LinkParser(value)
            return parser.links()
        }
    }
}

/// Parses the value of a `Link` field by the algorithm of RFC 8288, appendix B.2.
private struct LinkParser {
    private let bytes: [UInt8]
    private var place = 0

    init(_ value: String) {
        bytes = Array(value.utf8)
    }

    mutating func links() -> [Link] {
        var links: [Link] = []
        while true {
            skip { $0.isFieldBlank || $0 == UInt8(ascii: ",") }
            guard place < bytes.count else { return links }
            if let link = link() { links.append(link) } else { skipElement() }
        }
    }

    /// Returns a link; nil if there is none at this place.
    private mutating func link() -> Link? {
        guard bytes[place] == UInt8(ascii: "<") else { return nil }
        guard let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) else {
            // No further link has an end either.
            place = bytes.count
            return nil
        }
        let target = text(place + 1..<end)
        place = end + 1
        var relations: [String]?
        var parameters: [String: String] = [:]
        while true {
            skip(\.isFieldBlank)
            guard place < bytes.count, bytes[place] == UInt8(ascii: ";") else { break }
            place += 1
            skip(\.isFieldBlank)
            guard let (name, value) = parameter() else { continue }
            // The first `rel` counts (RFC 8288, 3.3).
            if name == "rel" {
                relations = relations ?? value.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(\.lowercasedToken)
            } else if parameters[name] == nil {
                parameters[name] = value
            }
        }
        guard place == bytes.count || bytes[place] == UInt8(ascii: ",") else { return nil }
        return Link(target: target, relations: relations ?? [], parameters: parameters)
    }

    /// Returns the name of a parameter in lower case, and its value; nil if it has no name.
    private mutating func parameter() -> (name: String, value: String)? {
        let start = place
        skip { !$0.isFieldBlank && !Self.delimiters.contains($0) && $0 != UInt8(ascii: "=") }
        let name = text(start..<place)[...].lowercasedToken
        skip(\.isFieldBlank)
        guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else { return name.isEmpty ? nil : (name, "") }
        place += 1
        skip(\.isFieldBlank)
        let value = value()
        return name.isEmpty ? nil : (name, value)
    }

    private mutating func value() -> String {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else {
            let start = place
            skip { !Self.delimiters.contains($0) }
            return String(text(start..<place)[...].withoutBlanks)
        }
        var value: [UInt8] = []
        place += 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count { place += 1 }
            value.append(bytes[place])
            place += 1
        }
        place = min(place + 1, bytes.count)
        return String(decoding: value, as: UTF8.self)
    }

    private static let delimiters: [UInt8] = Array(";,".utf8)

    /// Skips to the next comma that is not in quotes.
    private mutating func skipElement() {
        while place < bytes.count, bytes[place] != UInt8(ascii: ",") {
            if bytes[place] == UInt8(ascii: "\"") { _ = value() } else { place += 1 }
        }
    }

    private mutating func skip(_ condition: (UInt8) -> Bool) {
        while place < bytes.count, condition(bytes[place]) { place += 1 }
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
