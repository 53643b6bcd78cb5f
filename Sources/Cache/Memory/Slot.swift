/// One entry of a ``Shelf`` with links to its neighbours in a segment. The bytes of its key follow it in memory: see
/// ``Slots``.
struct Slot {
    /// The number that stands for no slot.
    static let none = UInt32.max

    /// The segment of a slot.
    enum Place: UInt8 {
        case free, probation, protected, pinned
    }

    let digest: UInt64
    let keyCount: Int
    var place = Place.free
    /// The entry was read since it entered its segment or since the hand last visited it.
    var isHit = false
    var older = Slot.none
    var newer = Slot.none
    /// The neighbours among the slots whose keys have the same first line. See ``Shelf/lines``.
    var previousOfLine = Slot.none
    var nextOfLine = Slot.none
    /// The time at which the entry expires, on the scale of `Date.timeIntervalSinceReferenceDate`.
    var deadline = Double.infinity
    var entry = CacheEntry(body: .init())
    var charge = 0
}
