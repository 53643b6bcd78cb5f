import Synchronization

/// One value for each object, as long as something holds the value. What holds the value must hold the object too.
final class WeakTable<Value: AnyObject & Sendable>: Sendable {
    private struct Weak: Sendable {
        weak var value: Value?
    }

    private struct State {
        var values: [ObjectIdentifier: Weak] = [:]
        /// Once there are so many, those that are gone are removed.
        var limit = 16
    }

    private let state = Mutex(State())

    /// The value for an object, made if there is none. What is no object has a value of its own each time.
    func value(for object: Any, _ make: () -> Value) -> Value {
        guard type(of: object) is any AnyObject.Type else { return make() }
        let id = ObjectIdentifier(object as AnyObject)
        // Found values are released outside of the lock, the last of which may be this one.
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
