/// The entries of a ``MemoryStore`` and who has to go when there is no room: a plain value, for a lock to guard.
///
/// New entries queue in *probation*, a fifth of the room. When there is no room, and probation has more than its share,
/// its oldest entry goes, or moves to the *protected* entries if it was read meanwhile. Among those a clock goes round:
/// one that was read since the hand last passed stays, the first that was not goes. So a read sets one bit and moves
/// nothing, and a scan of entries that nobody reads twice only ever replaces other newcomers. Pinned entries are in a
/// segment of their own that no hand goes through.
///
/// Slots lie side by side and never move while their entry stays; the three lists are threaded through them by number.
struct Shelf: ~Copyable {
    private(set) var slots = Slots()
    private var index = SlotIndex()

    private(set) var probation = Segment()
    private(set) var protected = Segment()
    private(set) var pinned = Segment()

    private let room: (count: Int, bytes: Int)
    private let age: Double

    private(set) var hits = 0
    private(set) var misses = 0
    private(set) var evictions = 0

    init(limits: CacheLimits) {
        room = (max(0, limits.count ?? .max), max(0, limits.bytes ?? .max))
        age = limits.age?.seconds ?? .infinity
    }

    var count: Int { probation.count + protected.count + pinned.count }

    var bytes: Int { probation.bytes + protected.bytes + pinned.bytes }

    // MARK: Reading

    /// The entry under a key. The caller finds out whether it has ended at the deadline, without holding the lock.
    @inline(__always)
    mutating func read(_ key: CacheKey, digest: UInt64, deadline: inout Double) -> CacheEntry? {
        guard let slot = slot(of: key, digest: digest) else {
            misses &+= 1
            return nil
        }
        hits &+= 1
        slots[slot].pointee.isHit = true
        deadline = slots[slot].pointee.deadline
        return slots[slot].pointee.entry
    }

    /// The same, without a trace.
    func entry(_ key: CacheKey, digest: UInt64, deadline: inout Double) -> CacheEntry? {
        guard let slot = slot(of: key, digest: digest) else { return nil }
        deadline = slots[slot].pointee.deadline
        return slots[slot].pointee.entry
    }

    @inline(__always)
    private func slot(of key: CacheKey, digest: UInt64) -> Int? {
        key.withBytes { bytes in
            index.slot(of: digest) { slot in
                slots[slot].pointee.digest == digest && slots.keyBytes(of: slot).equals(bytes)
            }
        }
    }

    // MARK: Storing

    /// Stores an entry, or throws and changes nothing.
    mutating func store(
        _ entry: CacheEntry, for key: CacheKey, digest: UInt64, charge: Int, pinned: Bool, now: Double,
        removed: inout Removed
    ) throws(CacheError) {
        let old = slot(of: key, digest: digest)
        try check(charge, replacing: old)
        var place = pinned ? Slot.Place.pinned : .probation
        var isHit = false
        if let old {
            if slots[old].pointee.place == .protected, place == .probation { place = .protected }
            isHit = true
            removed.take(slots[old].pointee.entry)
            detach(old)
        }
        while count >= room.count || charge > room.bytes - bytes {
            let share = (count: max(1, room.count / 5) - 1, bytes: room.bytes / 5 - charge)
            guard evict(share: share, now: now, removed: &removed) else { break }
        }
        let slot = old ?? take(key, digest: digest)
        slots[slot].pointee.place = place
        slots[slot].pointee.isHit = isHit
        slots[slot].pointee.deadline = deadline(of: entry, pinned: pinned)
        slots[slot].pointee.entry = entry
        slots[slot].pointee.charge = charge
        attach(slot)
    }

    /// Puts an entry in the place of the one that it was made of, if that is there. One for which there is no room is left
    /// out.
    mutating func replace(
        _ entry: CacheEntry, with full: CacheEntry, for key: CacheKey, charge: Int, now: Double, removed: inout Removed
    ) {
        guard let slot = slot(of: key, digest: key.digest), slots[slot].pointee.entry.isCopy(of: entry) else { return }
        if slots[slot].pointee.charge == charge {
            removed.take(slots[slot].pointee.entry)
            slots[slot].pointee.entry = full
        } else {
            let pinned = slots[slot].pointee.place == .pinned
            try? store(full, for: key, digest: key.digest, charge: charge, pinned: pinned, now: now, removed: &removed)
        }
    }

    /// Throws if an entry would not find room even if all others that may go went.
    private func check(_ charge: Int, replacing old: Int?) throws(CacheError) {
        guard room.count > 0 else { throw CacheError.noEntries }
        guard charge <= room.bytes else {
            throw CacheError(
                .tooLarge, "The entry counts for \(charge) bytes, the store may hold \(room.bytes): raise the limit.")
        }
        var staying = (count: pinned.count, bytes: pinned.bytes)
        if let old, slots[old].pointee.place == .pinned {
            staying.count -= 1
            staying.bytes -= slots[old].pointee.charge
        }
        guard staying.count < room.count, charge <= room.bytes - staying.bytes else {
            throw CacheError(.full, "Pinned entries take all the room: unpin or remove some, or raise the limit.")
        }
    }

    private func deadline(of entry: CacheEntry, pinned: Bool) -> Double {
        var deadline = Double.infinity
        if !pinned, let written = entry.written {
            deadline = (written.timeIntervalSinceReferenceDate + age).nextUp
        }
        if let expires = entry.expires?.timeIntervalSinceReferenceDate, expires < deadline { deadline = expires }
        return deadline
    }

    // MARK: Making room

    /// Removes the entry that is best spared. False if there are only pinned ones.
    ///
    /// - Parameter share: How much may stay in probation before it is newcomers that go.
    private mutating func evict(share: (count: Int, bytes: Int), now: Double, removed: inout Removed) -> Bool {
        while true {
            let isOver = probation.count > share.count || probation.bytes > share.bytes
            let isInProbation = !probation.isEmpty && (isOver || protected.isEmpty)
            let oldest = isInProbation ? probation.oldest : protected.oldest
            guard oldest != Slot.none else { return false }
            let slot = Int(oldest)
            guard slots[slot].pointee.isHit, now < slots[slot].pointee.deadline else {
                evict(slot, removed: &removed)
                return true
            }
            detach(slot)
            slots[slot].pointee.isHit = false
            slots[slot].pointee.place = .protected
            attach(slot)
        }
    }

    private mutating func evict(_ slot: Int, removed: inout Removed) {
        evictions += 1
        removed.take(evicted: slots[slot].pointee.entry, charge: slots[slot].pointee.charge)
        release(slot)
    }

    /// Removes what has ended, and then what is best spared, until a share of the entries and of the bytes is left.
    mutating func trim(to fraction: Double, now: Double, removed: inout Removed) {
        guard fraction < 1 else { return }
        let fraction = max(0, fraction)
        let target = (count: Int(Double(count) * fraction), bytes: Int(Double(bytes) * fraction))
        for slot in 0..<slots.used where slots[slot].pointee.place != .free && now >= slots[slot].pointee.deadline {
            evict(slot, removed: &removed)
        }
        while count > target.count || bytes > target.bytes {
            guard evict(share: (0, 0), now: now, removed: &removed) else { break }
        }
        if count == 0 { _ = clear() }
    }

    // MARK: Removing

    /// Removes the entry under a key, if there is one.
    mutating func remove(_ key: CacheKey, digest: UInt64, removed: inout Removed) {
        guard let slot = slot(of: key, digest: digest) else { return }
        removed.take(slots[slot].pointee.entry)
        release(slot)
    }

    /// Removes the entry under a key whose end somebody has found passed, unless there is another one by now. What was
    /// counted as a hit was none.
    mutating func removeEnded(_ key: CacheKey, digest: UInt64, deadline: Double, removed: inout Removed) {
        hits &-= 1
        misses &+= 1
        guard let slot = slot(of: key, digest: digest), slots[slot].pointee.deadline == deadline else { return }
        evict(slot, removed: &removed)
    }

    /// Removes the entries that a condition holds for.
    mutating func removeAll(removed: inout Removed, where condition: (CacheEntry) -> Bool) {
        for slot in 0..<slots.used where slots[slot].pointee.place != .free && condition(slots[slot].pointee.entry) {
            removed.take(slots[slot].pointee.entry)
            release(slot)
        }
    }

    /// Removes the entries whose key begins with the bytes of another.
    mutating func removeAll(removed: inout Removed, prefix: CacheKey) {
        prefix.withBytes { prefix in
            for slot in 0..<slots.used where slots[slot].pointee.place != .free {
                let bytes = slots.keyBytes(of: slot)
                guard UnsafeRawBufferPointer(rebasing: bytes.prefix(prefix.count)).equals(prefix) else { continue }
                removed.take(slots[slot].pointee.entry)
                release(slot)
            }
        }
    }

    /// Some of the entries that have not ended, as they are listed, and where the next ones begin.
    func items(from first: Int, now: Double) -> (items: [CacheItem], next: Int?) {
        let end = min(first + 256, slots.used)
        var items: [CacheItem] = []
        for slot in min(first, end)..<end where slots[slot].pointee.place != .free {
            guard now < slots[slot].pointee.deadline else { continue }
            items.append(CacheItem(key: slots.key(of: slot), entry: slots[slot].pointee.entry))
        }
        return (items, end < slots.used ? end : nil)
    }

    /// Removes everything, and returns the slots for the caller to release.
    mutating func clear() -> Slots {
        (probation, protected, pinned) = (Segment(), Segment(), Segment())
        index = SlotIndex()
        var cleared = Slots()
        swap(&slots, &cleared)
        return cleared
    }

    // MARK: Slots and segments

    private subscript(place: Slot.Place) -> Segment {
        get {
            switch place {
            case .probation: probation
            case .protected: protected
            case .pinned: pinned
            case .free: Segment()
            }
        }
        set {
            switch place {
            case .probation: probation = newValue
            case .protected: protected = newValue
            case .pinned: pinned = newValue
            case .free: break
            }
        }
    }

    /// Finds a slot for a key, and enters it in the index.
    private mutating func take(_ key: CacheKey, digest: UInt64) -> Int {
        let slot = slots.take(key, digest: digest)
        index.insert(slot, digest: digest)
        return slot
    }

    /// Takes a slot out of its segment and of the index.
    private mutating func release(_ slot: Int) {
        detach(slot)
        index.remove(slot, digest: slots[slot].pointee.digest)
        slots.release(slot)
    }

    /// Adds a slot to its segment, as the newest.
    private mutating func attach(_ slot: Int) {
        let place = slots[slot].pointee.place
        var segment = self[place]
        slots[slot].pointee.older = segment.newest
        slots[slot].pointee.newer = Slot.none
        if segment.newest == Slot.none {
            segment.oldest = UInt32(slot)
        } else {
            slots[Int(segment.newest)].pointee.newer = UInt32(slot)
        }
        segment.newest = UInt32(slot)
        segment.count += 1
        segment.bytes += slots[slot].pointee.charge
        self[place] = segment
    }

    /// Takes a slot out of its segment.
    private mutating func detach(_ slot: Int) {
        let place = slots[slot].pointee.place
        let (older, newer) = (slots[slot].pointee.older, slots[slot].pointee.newer)
        var segment = self[place]
        if older == Slot.none { segment.oldest = newer } else { slots[Int(older)].pointee.newer = newer }
        if newer == Slot.none { segment.newest = older } else { slots[Int(newer)].pointee.older = older }
        segment.count -= 1
        segment.bytes -= slots[slot].pointee.charge
        self[place] = segment
    }
}
