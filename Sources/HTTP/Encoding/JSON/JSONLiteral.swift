import Synchronization

/// The literal of a JSON body, `.json([…])`: an object or an array, whose values may be literals again.
///
/// In Swift, all values of a literal have one type, and an inner literal has a type of its own. No single type accepts
/// all values. So `.json` has several types of literals, and the compiler chooses the first that fits:
///
/// | | Values | Order |
/// |---|---|---|
/// | ``JSONLiteral`` | ``JSONConvertible`` values, and literals of mixed values | preserved at every level |
/// | ``Mixed`` | the same, and arrays of mixed values | preserved at every level |
/// | ``Values`` | Encodable and Sendable values, and literals of one type of values | preserved at the top level |
/// | ``Loose`` | any values, checked when the request is sent | preserved at the top level |
///
/// Where the order is not preserved, names are sorted. You need not write the names of these types. To build an object
/// field by field, use ``JSONFields``.
public struct JSONLiteral: Sendable {
    let value: any Encodable & Sendable
}

extension JSONLiteral: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    public init(dictionaryLiteral elements: (String, (any JSONListConvertible)?)...) {
        value = JSONFields(pairs: elements.lazy.map { ($0.0, $0.1?.jsonValue) })
    }

    public init(arrayLiteral elements: (any JSONListConvertible)?...) {
        value = JSONList(elements.map { $0?.jsonValue ?? JSONNull() })
    }
}

extension JSONLiteral {
    /// A literal that contains arrays with elements of several types.
    public struct Mixed: Sendable, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
        let value: any Encodable & Sendable

        public init(dictionaryLiteral elements: (String, (any JSONMixedConvertible)?)...) {
            value = JSONFields(pairs: elements.lazy.map { ($0.0, $0.1?.mixedJSONValue) })
        }

        public init(arrayLiteral elements: (any JSONMixedConvertible)?...) {
            value = JSONList(elements.map { $0?.mixedJSONValue ?? JSONNull() })
        }
    }

    /// A literal of any Encodable and Sendable values.
    public struct Values: Sendable, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
        let value: any Encodable & Sendable

        public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
            value = JSONFields(pairs: elements)
        }

        public init(arrayLiteral elements: (any Encodable & Sendable)?...) {
            value = JSONList(elements.map { $0 ?? JSONNull() })
        }
    }

    /// A literal of values that the compiler does not check: see ``JSONFields``.
    public struct Loose: Sendable, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
        let value: any Encodable & Sendable

        public init(dictionaryLiteral elements: (String, Any?)...) {
            value = JSONFields(any: elements)
        }

        public init(arrayLiteral elements: Any?...) {
            value = JSONList(elements.map { JSONAny.value($0) })
        }
    }

    /// The name of a field in an inner literal, which is a dictionary. A dictionary has no order, so each name stores
    /// its position.
    public struct Name: Hashable, Sendable, ExpressibleByStringInterpolation {
        let text: String
        let place: UInt64

        private static let last = Atomic<UInt64>(0)

        public init(stringLiteral text: String) {
            self.text = text
            place = Self.last.add(1, ordering: .relaxed).newValue
        }

        public static func == (one: Name, other: Name) -> Bool { one.place == other.place }

        public func hash(into hasher: inout Hasher) { hasher.combine(place) }
    }
}
