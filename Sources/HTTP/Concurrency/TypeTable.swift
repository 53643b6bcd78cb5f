/// Values that are made once for each type. They are found without a lock.
///
/// The number of types is bounded. A type that finds no place has its value made each time.
package struct TypeTable<Value: Sendable>: Sendable {
    private final class Entry: Sendable {
        let type: ObjectIdentifier
        let value: Value

        init(_ type: ObjectIdentifier, _ value: Value) {
            self.type = type
            self.value = value
        }
    }

    private final class Place: Sendable {
        let entry = LazyReference<Entry>()
    }

    /// The number of places in which a type is looked for.
    private static var reach: Int { 8 }

    private let places: [Place]

    /// - Parameter count: The number of places, a power of two.
    package init(count: Int = 256) {
        places = (0..<count).map { _ in Place() }
    }

    /// Returns the value of a type, made at the first use.
    package func value(for type: Any.Type, make: () -> Value) -> Value {
        let type = ObjectIdentifier(type)
        // The low bits of addresses are mostly zeros.
        let first = Int(truncatingIfNeeded: (UInt(bitPattern: type) &* 0x9E37_79B9) >> 16)
        for number in first..<first + Self.reach {
            let entry = places[number & (places.count - 1)].entry.object { Entry(type, make()) }
            if entry.type == type { return entry.value }
        }
        return make()
    }
}
