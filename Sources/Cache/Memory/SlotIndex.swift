/// Finds slots by the digest of their keys: open addressing, with linear probing over cells of eight bytes.
///
/// A cell has the upper half of the digest, which also says where the cell would best be, and the number of the slot. So
/// a search looks at slots that are nearly always the right one, and cells are moved without looking at slots at all.
/// Equal digests are allowed: the caller says which slot it meant.
///
/// The cells are in memory of its own, because an array is retained and checked at every search. All of it is
/// always initialised, and positions are masked to it.
struct SlotIndex: ~Copyable {
    private static let empty: UInt64 = 0

    /// The cells, a power of two of them, at most half of them taken.
    private var cells: UnsafeMutablePointer<UInt64>
    private var mask: Int
    private var count = 0

    init() {
        mask = 15
        cells = Self.cells(mask + 1)
    }

    deinit {
        cells.deallocate()
    }

    private static func cells(_ count: Int) -> UnsafeMutablePointer<UInt64> {
        let cells = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
        cells.initialize(repeating: empty, count: count)
        return cells
    }

    private static func cell(_ digest: UInt64, _ slot: Int) -> UInt64 {
        digest & 0xffff_ffff_0000_0000 | UInt64(UInt32(truncatingIfNeeded: slot) &+ 1)
    }

    private func home(of cell: UInt64) -> Int {
        Int(truncatingIfNeeded: cell >> 32) & mask
    }

    /// The first slot under a digest that a condition holds for.
    @inline(__always)
    func slot(of digest: UInt64, where condition: (Int) -> Bool) -> Int? {
        var position = Int(truncatingIfNeeded: digest >> 32) & mask
        while true {
            let cell = cells[position]
            if cell == Self.empty { return nil }
            if (cell ^ digest) >> 32 == 0 {
                let slot = Int(truncatingIfNeeded: cell & 0xffff_ffff) &- 1
                if condition(slot) { return slot }
            }
            position = (position &+ 1) & mask
        }
    }

    /// Adds a slot, which must not be there already.
    mutating func insert(_ slot: Int, digest: UInt64) {
        if count * 2 > mask { grow() }
        place(Self.cell(digest, slot))
        count += 1
    }

    /// Removes a slot, if it is there, and closes the gap, so that no search has to step over cells of the past.
    mutating func remove(_ slot: Int, digest: UInt64) {
        let cell = Self.cell(digest, slot)
        var gap = home(of: cell)
        while cells[gap] != cell {
            if cells[gap] == Self.empty { return }
            gap = (gap + 1) & mask
        }
        var position = (gap + 1) & mask
        while cells[position] != Self.empty {
            let distance = (position - home(of: cells[position])) & mask
            if distance >= (position - gap) & mask {
                cells[gap] = cells[position]
                gap = position
            }
            position = (position + 1) & mask
        }
        cells[gap] = Self.empty
        count -= 1
    }

    private mutating func grow() {
        let old = UnsafeMutableBufferPointer(start: cells, count: mask + 1)
        mask = mask * 2 + 1
        cells = Self.cells(mask + 1)
        for cell in old where cell != Self.empty { place(cell) }
        old.deallocate()
    }

    private func place(_ cell: UInt64) {
        var position = home(of: cell)
        while cells[position] != Self.empty { position = (position + 1) & mask }
        cells[position] = cell
    }
}
