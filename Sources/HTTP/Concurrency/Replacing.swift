/// Replaces a value, and returns the old one.
///
/// Under a lock, return the old value out of the locked closure, and use `withExtendedLifetime` there. The release of
/// an object of the user may run a `deinit` that takes the same lock. Optimised code releases a value right after its
/// last use.
@inline(__always)
package func replace<Value>(_ place: inout Value, with new: consuming Value) -> Value {
    var old = new
    swap(&place, &old)
    return old
}
