/// A list of slots in the order of their arrival: its ends, and what it amounts to.
struct Segment {
    var oldest = Slot.none
    var newest = Slot.none
    var count = 0
    var bytes = 0

    var isEmpty: Bool { count == 0 }
}
