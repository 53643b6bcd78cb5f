/// Puts a value in the place of another, and returns the old one.
///
/// Where a lock is held, return the old value out of it, and use `withExtendedLifetime` there. Releasing an object of the
/// user's may run a `deinit` that comes back to the same lock, and optimised code releases a value right after its last use.
@inline(__always)
func replace<Value>(_ place: inout Value, with new: consuming Value) -> Value {
    var old = new
    swap(&place, &old)
    return old
}
