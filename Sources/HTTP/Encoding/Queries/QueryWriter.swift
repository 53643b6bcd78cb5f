/// Writes names and values in a style, and flattens nested ones.
struct QueryWriter {
    let style: QueryStyle
    let set: PercentEncodeSet
    let spaceAsPlus: Bool
    private var pairs: [(name: String, pair: String)] = []

    /// The greatest depth of nested values. A deeper value most likely contains itself.
    static let deepest = ValueEncoder.deepest

    init(style: QueryStyle, set: PercentEncodeSet, spaceAsPlus: Bool) {
        self.style = style
        self.set = set
        self.spaceAsPlus = spaceAsPlus
    }

    /// The written text, in the order of the style.
    var text: String {
        let pairs =
            switch style.order {
            case .given: pairs
            case .sorted: pairs.ordered { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            }
        return pairs.map(\.pair).joined(separator: "&")
    }

    /// Writes a value. The name is in plain form.
    mutating func write(_ value: QueryValue, name: String, depth: Int) throws {
        guard depth <= Self.deepest else { throw RequestEncodingError.tooDeep(name) }
        switch value {
        case .fields(let query):
            if let problem = query.problem { throw problem.error }
            for field in query.fields {
                try write(field.value, name: nested(style.names.text(field), in: name), depth: depth + 1)
            }
        case .array(let values):
            try write(values, name: name, depth: depth)
        default:
            append(name: name, value: try text(of: value, name: name))
        }
    }

    private mutating func write(_ values: [QueryValue], name: String, depth: Int) throws {
        switch style.arrays {
        case .repeated:
            for value in values { try write(value, name: name, depth: depth + 1) }
        case .brackets:
            for value in values { try write(value, name: name + "[]", depth: depth + 1) }
        case .indexed:
            for (index, value) in values.enumerated() {
                try write(value, name: "\(name)[\(index)]", depth: depth + 1)
            }
        case .commas:
            let texts = try joinable(values, name: name, depth: depth)
            if !texts.isEmpty { append(name: name, value: .some(.some(texts.joined(separator: ",")))) }
        }
    }

    /// Returns the texts of the elements of a list, and of its inner lists, for joining.
    private func joinable(_ values: [QueryValue], name: String, depth: Int) throws -> [String] {
        guard depth <= Self.deepest else { throw RequestEncodingError.tooDeep(name) }
        return try values.flatMap { value -> [String] in
            switch value {
            case .array(let values):
                return try joinable(values, name: name, depth: depth + 1)
            case .fields:
                let reason = "a list of objects, which commas cannot separate: choose another style of arrays"
                throw RequestEncodingError.unsupported(reason, name: name)
            default:
                guard let text = try text(of: value, name: name) else { return [] }
                return [text ?? ""]
            }
        }
    }

    /// Returns the encoded text of a value that is not nested: nil if neither name nor value is written, `.some(nil)`
    /// if only the name is.
    private func text(of value: QueryValue, name: String) throws -> String?? {
        switch value {
        case .null:
            switch style.nulls {
            case .skipped: nil
            case .empty: ""
            case .nameOnly: .some(nil)
            case .word: "null"
            }
        case .bool(let value): style.booleans.text(value)
        case .text(let text): encode(text)
        case .date(let date):
            if let text = style.dates.text(date) {
                encode(text)
            } else {
                throw RequestEncodingError.unsupported(
                    "a date outside the years 1 to 9999: send another date, or choose another style of dates",
                    name: name)
            }
        case .unsupported(let reason): throw RequestEncodingError.unsupported(reason, name: name)
        case .array, .fields: nil
        }
    }

    private func nested(_ inner: String, in outer: String) -> String {
        switch style.nesting {
        case .brackets: "\(outer)[\(inner)]"
        case .dots: "\(outer).\(inner)"
        }
    }

    private mutating func append(name: String, value: String??) {
        guard let value else { return }
        let encoded = encode(name)
        pairs.append((name, value.map { "\(encoded)=\($0)" } ?? encoded))
    }

    private func encode(_ text: String) -> String {
        PercentEncoding.encode(text, set, spaceAsPlus: spaceAsPlus)
    }
}

extension RequestEncodingError {
    static func unsupported(_ reason: String, name: String) -> RequestEncodingError {
        RequestEncodingError(.unsupportedValue, "the value of “\(name)” is \(reason)")
    }

    static func tooDeep(_ name: String) -> RequestEncodingError {
        let start = name.prefix(40)
        return RequestEncodingError(
            .tooDeep,
            "the value of “\(start)…” is nested more than \(QueryWriter.deepest) levels deep: check whether it contains itself"
        )
    }
}
