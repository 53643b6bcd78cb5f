/// Puts a value in the place of another, and returns the old one.
///
/// Where a lock is held, the old value is returned out of it. Releasing an object of the user's may run a `deinit` that comes
/// back to the same lock.
@inline(__always)
func replace<Value>(_ place: inout Value, with new: consuming Value) -> Value {
    var old = new
    swap(&place, &old)
    return old
}
