/// The entries of a ``MemoryStore`` and their eviction order. A plain value, guarded by the lock of the store.
///
/// New entries enter *probation*, a queue with a fifth of the room. When the store is full and probation exceeds its
/// share, its oldest entry is evicted. If that entry was read meanwhile, it moves to the *protected* entries instead.
///
/// Protected entries are evicted by a clock algorithm: the hand skips entries that were read since its last visit. So a
/// read sets one bit and moves nothing, and a scan only replaces other new entries. Pinned entries are in a segment of
/// their own that is never evicted.
///
/// Slots lie side by side and do not move while their entry stays. The three lists link them by number.
///
/// Some keys have several lines, such as those of HTTP responses, whose first line is the URL. The entries whose keys
/// have the same first line are in a list too. So the entries of a URL, and those of a tag, are found without a scan.
struct Shelf: ~Copyable {
    private(set) var slots = Slots()
    private var index = SlotIndex()
    /// The first slot of each first line.
    private var lines = SlotIndex()
    /// The slots of each tag. The bytes of a tag count, as those of a key do.
    private var tagged: [CacheKey: Set<UInt32>] = [:]

    private(set) var probation = Segment()
    private(set) var protected = Segment()
    private(set) var pinned = Segment()

    private let room: (count: Int, bytes: Int)
    private let age: Double

    private(set) var hits = 0
    private(set) var misses = 0
    private(set) var evictions = 0

    init(limits: CacheLimits) {
        room = (limits.count ?? .max, limits.bytes ?? .max)
        age = limits.age?.seconds ?? .infinity
    }

    var count: Int { probation.count + protected.count + pinned.count }

    var bytes: Int { probation.bytes + protected.bytes + pinned.bytes }

    // MARK: Reading

    /// Returns the entry under a key. The caller checks the deadline after releasing the lock.
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

    /// Returns the entry under a key without counting the read.
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
        removed: inout RemovedEntries
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
        untag(slot)
        slots[slot].pointee.entry = entry
        tag(slot)
        slots[slot].pointee.charge = charge
        attach(slot)
    }

    /// Replaces an entry by its copy with an object, if it is still there. Drops the copy if there is no room.
    mutating func replace(
        _ entry: CacheEntry, with full: CacheEntry, for key: CacheKey, charge: Int, now: Double,
        removed: inout RemovedEntries
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

    /// Throws if an entry has no room even after evicting all others.
    private func check(_ charge: Int, replacing old: Int?) throws(CacheError) {
        guard room.count > 0 else { throw CacheError.noEntries }
        guard charge <= room.bytes else {
            throw CacheError(
                .tooLarge, "The entry has \(charge) bytes, the limit is \(room.bytes). Raise the limit of the store.")
        }
        var staying = (count: pinned.count, bytes: pinned.bytes)
        if let old, slots[old].pointee.place == .pinned {
            staying.count -= 1
            staying.bytes -= slots[old].pointee.charge
        }
        guard staying.count < room.count, charge <= room.bytes - staying.bytes else {
            throw CacheError(
                .full, "Pinned entries fill the store. Remove or unpin some, or raise the limits of the store.")
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

    /// Evicts one entry. Returns false if there are only pinned ones.
    ///
    /// - Parameter share: The size of probation above which its entries are evicted first.
    private mutating func evict(share: (count: Int, bytes: Int), now: Double, removed: inout RemovedEntries) -> Bool {
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

    private mutating func evict(_ slot: Int, removed: inout RemovedEntries) {
        evictions += 1
        removed.take(evicted: slots[slot].pointee.entry, charge: slots[slot].pointee.charge)
        release(slot)
    }

    /// Removes expired entries, then evicts entries until a fraction of the entries and of the bytes is left.
    mutating func trim(to fraction: Double, now: Double, removed: inout RemovedEntries) {
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

    mutating func remove(_ key: CacheKey, digest: UInt64, removed: inout RemovedEntries) {
        guard let slot = slot(of: key, digest: digest) else { return }
        removed.take(slots[slot].pointee.entry)
        release(slot)
    }

    /// Removes the entry under a key if it still has the deadline that was found to have passed. Counts the hit as a
    /// miss.
    mutating func removeEnded(_ key: CacheKey, digest: UInt64, deadline: Double, removed: inout RemovedEntries) {
        hits &-= 1
        misses &+= 1
        guard let slot = slot(of: key, digest: digest), slots[slot].pointee.deadline == deadline else { return }
        evict(slot, removed: &removed)
    }

    mutating func removeAll(removed: inout RemovedEntries, where condition: (CacheEntry) -> Bool) {
        for slot in 0..<slots.used where slots[slot].pointee.place != .free && condition(slots[slot].pointee.entry) {
            removed.take(slots[slot].pointee.entry)
            release(slot)
        }
    }

    mutating func removeAll(removed: inout RemovedEntries, tag: String) {
        for slot in tagged.removeValue(forKey: CacheKey(tag)) ?? [] {
            removed.take(slots[Int(slot)].pointee.entry)
            release(Int(slot))
        }
    }

    /// Removes the entries whose key begins with a prefix. If the prefix has a line break, only the entries with the
    /// same first line are visited.
    mutating func removeAll(removed: inout RemovedEntries, prefix: CacheKey) {
        prefix.withBytes { prefix in
            if let line = prefix.firstLine {
                var next = firstSlot(of: line, digest: Digest.of(line)).map { UInt32($0) } ?? Slot.none
                while next != Slot.none {
                    let slot = Int(next)
                    next = slots[slot].pointee.nextOfLine
                    remove(slot, removed: &removed, prefix: prefix)
                }
            } else {
                for slot in 0..<slots.used where slots[slot].pointee.place != .free {
                    remove(slot, removed: &removed, prefix: prefix)
                }
            }
        }
    }

    private mutating func remove(_ slot: Int, removed: inout RemovedEntries, prefix: UnsafeRawBufferPointer) {
        guard slots.keyBytes(of: slot).starts(with: prefix) else { return }
        removed.take(slots[slot].pointee.entry)
        release(slot)
    }

    /// Returns some of the entries that have not expired, for a listing, and the slot at which the next page begins.
    func items(from first: Int, now: Double) -> (items: [CacheItem], next: Int?) {
        let end = min(first + 256, slots.used)
        var items: [CacheItem] = []
        for slot in min(first, end)..<end where slots[slot].pointee.place != .free {
            guard now < slots[slot].pointee.deadline else { continue }
            items.append(CacheItem(key: slots.key(of: slot), entry: slots[slot].pointee.entry))
        }
        return (items, end < slots.used ? end : nil)
    }

    /// Removes all entries, and returns the slots for the caller to release.
    mutating func clear() -> Slots {
        (probation, protected, pinned) = (Segment(), Segment(), Segment())
        index = SlotIndex()
        lines = SlotIndex()
        tagged = [:]
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

    /// Allocates a slot for a key and adds it to the index.
    private mutating func take(_ key: CacheKey, digest: UInt64) -> Int {
        let slot = slots.take(key, digest: digest)
        index.insert(slot, digest: digest)
        joinLine(slot)
        return slot
    }

    /// Removes a slot from its segment and from the index.
    @inline(never)
    private mutating func release(_ slot: Int) {
        detach(slot)
        index.remove(slot, digest: slots[slot].pointee.digest)
        leaveLine(slot)
        untag(slot)
        slots.release(slot)
    }

    // MARK: Tags

    private mutating func tag(_ slot: Int) {
        for tag in slots[slot].pointee.entry.tags { tagged[CacheKey(tag), default: []].insert(UInt32(slot)) }
    }

    private mutating func untag(_ slot: Int) {
        for tag in slots[slot].pointee.entry.tags.lazy.map({ CacheKey($0) }) {
            tagged[tag]?.remove(UInt32(slot))
            if tagged[tag]?.isEmpty == true { tagged[tag] = nil }
        }
    }

    // MARK: First lines

    private func firstSlot(of line: UnsafeRawBufferPointer, digest: UInt64) -> Int? {
        lines.slot(of: digest) { slot in slots.keyBytes(of: slot).starts(with: line) }
    }

    /// Adds a slot to those of its first line, as the second one, so that the index need not change.
    private mutating func joinLine(_ slot: Int) {
        guard let line = slots.keyBytes(of: slot).firstLine else { return }
        let digest = Digest.of(line)
        guard let first = firstSlot(of: line, digest: digest) else { return lines.insert(slot, digest: digest) }
        let next = slots[first].pointee.nextOfLine
        slots[slot].pointee.previousOfLine = UInt32(first)
        slots[slot].pointee.nextOfLine = next
        slots[first].pointee.nextOfLine = UInt32(slot)
        if next != Slot.none { slots[Int(next)].pointee.previousOfLine = UInt32(slot) }
    }

    private mutating func leaveLine(_ slot: Int) {
        guard let line = slots.keyBytes(of: slot).firstLine else { return }
        let (previous, next) = (slots[slot].pointee.previousOfLine, slots[slot].pointee.nextOfLine)
        if next != Slot.none { slots[Int(next)].pointee.previousOfLine = previous }
        if previous != Slot.none {
            slots[Int(previous)].pointee.nextOfLine = next
        } else {
            let digest = Digest.of(line)
            lines.remove(slot, digest: digest)
            if next != Slot.none { lines.insert(Int(next), digest: digest) }
        }
    }

    /// Adds a slot to its segment as the newest.
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
