import Synchronization

/// A reference to an object that is made at the first use. It is read without a lock.
///
/// An `AtomicLazyReference` does the same, and looks up its generic type at each use. Here, the work is done by a type that is not
/// generic.
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    @usableFromInline let untyped = UntypedLazyReference()

    @inlinable
    package init() {
    }

    /// The object; nil before its first use.
    @inlinable
    package var loaded: Object? {
        guard let object = untyped.loaded else { return nil }
        return unsafeDowncast(object, to: Object.self)
    }

    /// Returns the object. If several threads make one at once, all get the same.
    @inlinable
    package func object(make: () -> Object) -> Object {
        unsafeDowncast(untyped.loaded ?? untyped.store(make()), to: Object.self)
    }
}

@usableFromInline
struct UntypedLazyReference: ~Copyable, Sendable {
    private let address = Atomic<UInt>(0)

    @usableFromInline
    init() {
    }

    deinit {
        Self.unmanaged(address.load(ordering: .acquiring))?.release()
    }

    @usableFromInline
    var loaded: AnyObject? { Self.unmanaged(address.load(ordering: .acquiring))?.takeUnretainedValue() }

    /// Stores an object, unless there is one, and returns the one that is there.
    @usableFromInline
    func store(_ object: AnyObject) -> AnyObject {
        let new = Unmanaged.passRetained(object)
        let (isNew, present) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
        guard !isNew, let present = Self.unmanaged(present) else { return object }
        new.release()
        return present.takeUnretainedValue()
    }

    private static func unmanaged(_ address: UInt) -> Unmanaged<AnyObject>? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
    }
}

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

/// Replaces a value, and returns the old one.
///
/// Under a lock, return the old value out of the locked closure, and use `withExtendedLifetime` there. The release of
/// an object of the user may run a `deinit` that takes the same lock. Optimised code releases a value right after its
/// last use.
@inlinable
package func replace<Value>(_ place: inout Value, with new: consuming Value) -> Value {
    var old = new
    swap(&place, &old)
    return old
}

/// Values by their type, one of each: what features keep for a call, so that the call need not know them.
package struct TypedValues: Sendable {
    @usableFromInline var values: [ObjectIdentifier: any Sendable] = [:]

    @inlinable
    package init() {}

    @inlinable
    package var isEmpty: Bool { values.isEmpty }

    @inlinable
    package subscript<Value: Sendable>(type: Value.Type) -> Value? {
        // Mostly there are none, and the type is expensive to check.
        get { values.isEmpty ? nil : values[ObjectIdentifier(type)] as? Value }
        set { values[ObjectIdentifier(type)] = newValue }
    }

    @inlinable
    package subscript<Value: Sendable>(type: Value.Type, default value: @autoclosure () -> Value) -> Value {
        get { self[type] ?? value() }
        set { self[type] = newValue }
    }
}
