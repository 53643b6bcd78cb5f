import Synchronization

/// The literal of a JSON body, `.json([…])`: an object or a list, whose values may be literals again.
///
/// Swift gives all values of a literal one type, and a literal inside another has a type of its own. No one type takes
/// all values, so `.json` has a literal for each combination, of which the compiler takes the first that fits:
///
/// | | Values | Order |
/// |---|---|---|
/// | ``JSONLiteral`` | ``JSONConvertible`` ones, with literals of mixed values inside | kept at every level |
/// | ``Mixed`` | the same, with lists of mixed values | kept at every level |
/// | ``Values`` | anything Encodable and Sendable, with literals of one type of values inside | kept at the top |
/// | ``Loose`` | anything, checked when the request is sent | kept at the top |
///
/// Where the order is not kept, names are sorted. You need not name these types: to build an object by parts, use
/// ``JSONFields``.
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
    /// A literal that has lists of mixed values in it.
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

    /// The name of a field in a literal inside another, which is a dictionary: it knows its place, because a dictionary has
    /// no order.
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
