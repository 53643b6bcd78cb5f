extension RequestShape {
    func differences(from recorded: RequestShape) -> [RequestDifference] {
        var result: [RequestDifference] = []
        if method != recorded.method { result.append(.method(recorded.method)) }
        if origin != recorded.origin { result.append(.origin(recorded.origin)) }
        if !path.utf8.hasShape(of: recorded.path.utf8) { result.append(.path(recorded.path)) }
        if !query.hasShape(of: recorded.query) {
            result.append(.query(missing: recorded.query.without(query), added: query.without(recorded.query)))
        }
        if !body.hasShape(of: recorded.body) { result.append(.body) }
        return result
    }

    /// The request without its secrets.
    var withoutDigest: RequestShape {
        var shape = self
        shape.digest = nil
        return shape
    }

    /// Returns the number of digits of a recorded digest, if that of this request begins with them, and zero otherwise.
    func commonDigits(with recorded: String?) -> Int {
        guard let digest, let digits = recorded, digest.hasPrefix(digits) else { return 0 }
        return digits.utf8.count
    }
}

// A recording hides the secrets of a response also in its request, where a replay does not know them yet. So an ellipsis of
// the recording stands for any bytes, unless another recorded request is the same.

extension RequestShape.Body {
    fileprivate func hasShape(of recorded: Self) -> Bool {
        switch (self, recorded) {
        case (.none, .unknown): false
        case (.unknown, _), (_, .unknown): true
        case (.json(let value), .json(let shown)): value.hasShape(of: shown)
        case (.form(let items), .form(let shown)): items.hasShape(of: shown)
        case (.text(let text), .text(let shown)): text.utf8.hasShape(of: shown.utf8)
        case (.bytes(let bytes), .bytes(let shown)): bytes.hasShape(of: shown)
        default: self == recorded
        }
    }
}

extension JSONValue {
    fileprivate func hasShape(of recorded: JSONValue) -> Bool {
        switch (self, recorded) {
        case (.string(let text), .string(let shown)): text.utf8.hasShape(of: shown.utf8)
        // A secret number becomes 0.
        case (.integer(let number), .integer(0)): number == 0 || "\(number)".utf8.count >= SecretSearch.shortest
        case (.array(let values), .array(let shown)):
            values.count == shown.count && zip(values, shown).allSatisfy { $0.hasShape(of: $1) }
        case (.object(let fields), .object(let shown)):
            fields.count == shown.count
                && fields.allSatisfy { name, value in shown[name].map(value.hasShape) ?? false }
        default: self == recorded
        }
    }
}

extension [String] {
    /// Returns whether sorted items are those of a recording.
    fileprivate func hasShape(of recorded: [String]) -> Bool {
        guard count == recorded.count, self != recorded else { return self == recorded }
        return zip(without(recorded), recorded.without(self)).allSatisfy { $0.utf8.hasShape(of: $1.utf8) }
    }
}

extension Collection<UInt8> {
    /// Returns whether the bytes are those of a recording, in which an ellipsis stands for any bytes.
    fileprivate func hasShape(of recorded: some Collection<UInt8>) -> Bool {
        if elementsEqual(recorded) { return true }
        let parts = Array(recorded).split(
            separator: Array(Redaction.ellipsis.utf8), omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last, parts.count > 1, starts(with: first),
            count >= first.count + last.count, suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = Array(dropFirst(first.count).dropLast(last.count))[...]
        for part in parts.dropFirst().dropLast() {
            guard let place = rest.firstRange(of: part) else { return false }
            rest = rest[place.upperBound...]
        }
        return true
    }
}

extension [String] {
    /// The elements that another list does not have; each stands for one of that list.
    func without(_ other: [String]) -> [String] {
        var rest = other
        return filter { element in
            guard let index = rest.firstIndex(of: element) else { return true }
            rest.remove(at: index)
            return false
        }
    }
}
