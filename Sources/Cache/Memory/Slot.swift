/// One entry of a ``Shelf``, and its links to its neighbours in a segment. The bytes of its key lie behind it: see
/// ``Slots``.
struct Slot {
    /// The number that stands for no slot.
    static let none = UInt32.max

    /// Which segment a slot is in.
    enum Place: UInt8 {
        case free, probation, protected, pinned
    }

    let digest: UInt64
    let keyCount: Int
    var place = Place.free
    /// Whether the entry was read since it came to its segment or was last passed over.
    var isHit = false
    var older = Slot.none
    var newer = Slot.none
    /// From when on the entry counts as gone, on the scale of `Date.timeIntervalSinceReferenceDate`.
    var deadline = Double.infinity
    var entry = CacheEntry(body: .init())
    var charge = 0
}
