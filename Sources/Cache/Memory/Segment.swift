/// A list of slots in the order in which they were added: its ends, its count and its size.
struct Segment {
    var oldest = Slot.none
    var newest = Slot.none
    var count = 0
    var bytes = 0

    var isEmpty: Bool { count == 0 }
}
