/// An index from digests of keys to slots: open addressing, with linear probing over cells of eight bytes.
///
/// A cell holds the number of the slot and the upper half of the digest, which also determines the preferred cell. So a
/// search rarely reads a wrong slot, and moving cells reads no slots at all. Equal digests are allowed: the caller
/// identifies the slot.
///
/// The cells are allocated directly, because an array is retained and checked at every search. All cells are always
/// initialised, and positions are masked to their number.
struct SlotIndex: ~Copyable {
    private static let empty: UInt64 = 0

    /// The cells. Their number is a power of two, and at most half of them are used.
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

    /// Returns the first slot under a digest for which a condition holds.
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

    /// Adds a slot, which must not be in the index.
    mutating func insert(_ slot: Int, digest: UInt64) {
        if count * 2 > mask { grow() }
        place(Self.cell(digest, slot))
        count += 1
    }

    /// Removes a slot, if present, and closes the gap, so that no search steps over removed cells.
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
