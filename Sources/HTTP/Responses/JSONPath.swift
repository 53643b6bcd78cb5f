/// The path to a value in a JSON document: `"data.items"`, or `["data", "items"]` if names contain dots.
///
/// A number is a position in an array: `"results[0].id"`, as errors print it, or `"results.0.id"`.
public struct JSONPath: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    CustomStringConvertible
{
    /// The names and positions on the path, from the top.
    public let names: [String]

    /// Creates a path from names. A dot in a name does not split it.
    public init(_ names: [String]) {
        self.names = names
    }

    /// Parses a path. It is split at dots and at positions in brackets. An empty text is the top of the document.
    public init(_ text: String) {
        names = text.split(separator: ".").flatMap { Self.names(in: $0) }
    }

    /// Splits `slides[0][1]` into `slides`, `0` and `1`. Brackets around other text than a number belong to the name.
    private static func names(in part: Substring) -> [String] {
        var name = part
        var places: [String] = []
        while name.hasSuffix("]"), let start = name.lastIndex(of: "[") {
            let place = name[name.index(after: start)...].dropLast()
            guard !place.isEmpty, place.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { break }
            places.insert(String(place), at: 0)
            name = name[..<start]
        }
        return (name.isEmpty ? [] : [String(name)]) + places
    }

    public init(stringLiteral value: String) {
        self.init(value)
    }

    public init(arrayLiteral elements: String...) {
        names = elements
    }

    public var description: String { names.joined(separator: ".") }
}

/// A name or a position in a JSON document.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    /// The key in camel case, such as `itemsLeft` for `items_left`, because decoders may convert keys.
    var camelCased: JSONKey {
        let words = stringValue.split(separator: "_")
        guard let first = words.first, words.count > 1 else { return self }
        return JSONKey(
            stringValue: first + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined())
    }
}

extension [any CodingKey] {
    /// The path as text, such as `users[3].name`.
    var text: String {
        reduce(into: "") { text, key in
            if let place = key.intValue {
                text += "[\(place)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
