import Synchronization

/// Values that are made once for each type. They are found without a lock.
///
/// The number of types is bounded. A type that finds no place has its value made each time.
struct TypeTable<Value: Sendable>: Sendable {
    private final class Entry: Sendable {
        let type: ObjectIdentifier
        let value: Value

        init(_ type: ObjectIdentifier, _ value: Value) {
            self.type = type
            self.value = value
        }
    }

    /// A place for an entry, which stays for ever. An `AtomicLazyReference` would look up its generic type at each use.
    private final class Place: Sendable {
        private let address = Atomic<UInt>(0)

        /// Returns the entry, made at the first use.
        func entry(make: () -> Entry) -> Entry {
            if let entry = Self.entry(at: address.load(ordering: .acquiring)) { return entry }
            let new = Unmanaged.passRetained(make())
            let (isNew, address) = address.compareExchange(
                expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
            if isNew { return new.takeUnretainedValue() }
            new.release()
            return Self.entry(at: address) ?? make()
        }

        private static func entry(at address: UInt) -> Entry? {
            UnsafeRawPointer(bitPattern: address).map { Unmanaged<Entry>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    /// The number of places in which a type is looked for.
    private static var reach: Int { 8 }

    private let places: [Place]

    /// - Parameter count: The number of places, a power of two.
    init(count: Int = 256) {
        places = (0..<count).map { _ in Place() }
    }

    /// Returns the value of a type, made at the first use.
    func value(for type: Any.Type, make: () -> Value) -> Value {
        let type = ObjectIdentifier(type)
        // The low bits of addresses are mostly zeros.
        let first = Int(truncatingIfNeeded: (UInt(bitPattern: type) &* 0x9E37_79B9) >> 16)
        for number in first..<first + Self.reach {
            let entry = places[number & (places.count - 1)].entry { Entry(type, make()) }
            if entry.type == type { return entry.value }
        }
        return make()
    }
}
