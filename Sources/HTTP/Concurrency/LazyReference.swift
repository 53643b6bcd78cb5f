import Synchronization

/// A reference to an object that is made at the first use. It is read without a lock.
///
/// An `AtomicLazyReference` does the same, and looks up its generic type at each use.
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    private let address = Atomic<UInt>(0)

    package init() {
    }

    deinit {
        Self.unmanaged(address.load(ordering: .acquiring))?.release()
    }

    /// The object; nil before its first use.
    var loaded: Object? { Self.unmanaged(address.load(ordering: .acquiring))?.takeUnretainedValue() }

    /// Returns the object. If several threads make one at once, all get the same.
    package func object(make: () -> Object) -> Object {
        if let loaded { return loaded }
        let new = Unmanaged.passRetained(make())
        let (isNew, present) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
        guard !isNew, let present = Self.unmanaged(present) else { return new.takeUnretainedValue() }
        new.release()
        return present.takeUnretainedValue()
    }

    private static func unmanaged(_ address: UInt) -> Unmanaged<Object>? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
    }
}
