import Synchronization

/// A table with one value for each object. It retains no values. Code that retains a value must retain its object too.
final class WeakTable<Value: AnyObject & Sendable>: Sendable {
    private struct Weak: Sendable {
        weak var value: Value?
    }

    private struct State {
        var values: [ObjectIdentifier: Weak] = [:]
        /// The size at which released values are removed from the table.
        var limit = 16
    }

    private let state = Mutex(State())

    /// Returns the value for an object, and creates it if there is none. For a value type, it returns a new value each
    /// time.
    func value(for object: Any, _ make: () -> Value) -> Value {
        guard type(of: object) is any AnyObject.Type else { return make() }
        let id = ObjectIdentifier(object as AnyObject)
        // The found value is released outside of the lock, because this may be its last reference.
        if let found = state.withLock({ $0.values[id]?.value }) { return found }
        let new = make()
        return state.withLock { state in
            if let found = state.values[id]?.value { return found }
            if state.values.count >= state.limit {
                state.values = state.values.filter { $0.value.value != nil }
                state.limit = max(16, state.values.count * 2)
            }
            state.values[id] = Weak(value: new)
            return new
        }
    }
}
