/// The slots of a ``Shelf`` side by side, each with its key, and the list of free slots.
///
/// They are allocated directly, because an array is retained and checked at every access. A key right behind its slot
/// halves the time of a read. The first `used` slots are initialised. A number is valid from the `take` that returns it
/// to its `release`; the shelf ensures this.
struct Slots: ~Copyable {
    /// The distance between two slots: three cache lines, of which the key uses the bytes behind the slot.
    private static let stride = 192
    private static let keyRoom = stride - MemoryLayout<Slot>.stride

    private var memory: UnsafeMutableRawPointer
    private var capacity = 16
    private var free = Slot.none

    /// The number of slots, including free ones.
    private(set) var used = 0

    init() {
        memory = Self.memory(capacity)
    }

    deinit {
        for number in 0..<used {
            freeKey(of: number)
            self[number].deinitialize(count: 1)
        }
        memory.deallocate()
    }

    private static func memory(_ capacity: Int) -> UnsafeMutableRawPointer {
        .allocate(byteCount: capacity * stride, alignment: 64)
    }

    /// Returns the address of a slot, valid until the next `take`.
    @inline(__always)
    subscript(number: Int) -> UnsafeMutablePointer<Slot> {
        (memory + number &* Self.stride).assumingMemoryBound(to: Slot.self)
    }

    /// Returns the bytes of the key of a slot, valid until the next `take`.
    @inline(__always)
    func keyBytes(of number: Int) -> UnsafeRawBufferPointer {
        let room = UnsafeRawPointer(self[number] + 1)
        let count = self[number].pointee.keyCount
        let bytes = count <= Self.keyRoom ? room : room.load(as: UnsafeRawPointer.self)
        return UnsafeRawBufferPointer(start: bytes, count: count)
    }

    /// Returns the key of a slot, as text if its bytes are text.
    func key(of number: Int) -> CacheKey {
        let bytes = keyBytes(of: number)
        return String(validating: bytes, as: UTF8.self).map { text in CacheKey(text) } ?? CacheKey(bytes: bytes)
    }

    /// Allocates a slot for a key, with an empty entry.
    mutating func take(_ key: CacheKey, digest: UInt64) -> Int {
        var number = used
        if free != Slot.none {
            number = Int(free)
            free = self[number].pointee.newer
        } else {
            if used == capacity { grow() }
            used += 1
        }
        self[number].initialize(to: Slot(digest: digest, keyCount: key.count))
        let room = UnsafeMutableRawPointer(self[number] + 1)
        key.withBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            var target = room
            if bytes.count > Self.keyRoom {
                target = .allocate(byteCount: bytes.count, alignment: 1)
                room.storeBytes(of: target, as: UnsafeMutableRawPointer.self)
            }
            target.copyMemory(from: source, byteCount: bytes.count)
        }
        return number
    }

    mutating func release(_ number: Int) {
        freeKey(of: number)
        self[number].pointee = Slot(digest: 0, keyCount: 0)
        self[number].pointee.newer = free
        free = UInt32(number)
    }

    private func freeKey(of number: Int) {
        let bytes = keyBytes(of: number)
        if bytes.count > Self.keyRoom { bytes.deallocate() }
    }

    private mutating func grow() {
        let larger = Self.memory(capacity * 2)
        for number in 0..<used {
            let target = larger + number * Self.stride
            target.bindMemory(to: Slot.self, capacity: 1).moveInitialize(from: self[number], count: 1)
            (target + MemoryLayout<Slot>.stride).copyMemory(
                from: UnsafeRawPointer(self[number] + 1), byteCount: Self.keyRoom)
        }
        memory.deallocate()
        memory = larger
        capacity *= 2
    }
}
