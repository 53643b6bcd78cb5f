import Synchronization

/// Adds and removes the files of a folder, and evicts entries to keep the limits.
///
/// The size of the folder is known from a scan and from the changes that this process has made since. Because other
/// processes make changes too, it scans again each time the limits seem to be reached, and after a number of files. The
/// locks here are within one process. There are none between processes, because a system that suspends an application
/// kills it if it holds one.
final class FileRoom: Sendable {
    private struct State {
        /// The size of the folder, or nil before the first scan.
        var fill: DiskFill?
        /// The size of the entries that are about to be added.
        var reserved = Amount()
        /// The entries added since the scan in flight began, which the scan may or may not have seen.
        var added = Amount()
        /// The entries stored since the last scan, new or as a replacement.
        var sinceScan = Amount()
    }

    private struct Amount {
        var count = 0
        var bytes = 0

        mutating func add(_ other: Amount, sign: Int = 1) {
            count += sign * other.count
            bytes += sign * other.bytes
        }
    }

    private let folder: EntryFolder
    private let limits: CacheLimits
    private let clock: WallClock
    private let report: @Sendable (CacheEvent) -> Void
    private let state = Mutex(State())

    /// Locked during a scan.
    private let scanning = Mutex(())

    /// Locked while a file is changed and counted. There is one lock for each sixteenth of the files.
    private let stripes = (0..<16).map { _ in Stripe() }

    private final class Stripe: Sendable {
        let lock = Mutex(())
    }

    init(
        folder: EntryFolder, limits: CacheLimits, clock: WallClock, report: @escaping @Sendable (CacheEvent) -> Void
    ) {
        self.folder = folder
        self.limits = limits
        self.clock = clock
        self.report = report
    }

    private var isLimited: Bool { limits.bytes != nil || limits.count != nil }

    /// Throws if an entry alone exceeds the limit.
    func check(_ charge: Int) throws {
        if limits.count == 0 { throw CacheError.noEntries }
        if let limit = limits.bytes, charge > limit {
            throw CacheError(
                .tooLarge, "The entry has \(charge) bytes, the limit is \(limit). Raise the limit of the store.")
        }
    }

    /// Moves a finished file to its final path once there is room. Returns false if another process has removed it.
    func publish(_ temporary: String, size: Int, at place: EntryFolder.Place) throws -> Bool {
        guard isLimited else { return try folder.publish(temporary, at: place) }
        let charge = DiskFill.charge(fileSize: size)
        try check(charge)
        let old = try folder.files.status(place.path)
        let oldCharge = old.map { DiskFill.charge(fileSize: $0.size) } ?? 0
        let reservation = Amount(count: old == nil ? 1 : 0, bytes: max(0, charge - oldCharge))
        let hasRoom = state.withLock { state in
            state.reserved.add(reservation)
            return allows(state) && !isStale(state)
        }
        do {
            if !hasRoom { try makeRoom(sparing: place) }
            guard try move(temporary, charge: charge, to: place, reservation) else {
                state.withLock { $0.reserved.add(reservation, sign: -1) }
                return false
            }
        } catch {
            state.withLock { $0.reserved.add(reservation, sign: -1) }
            throw error
        }
        // Another entry may have been evicted for the one to be replaced, so that the limits are exceeded now.
        if !state.withLock({ allows($0) }) { try? makeRoom(sparing: place) }
        return true
    }

    /// Removes a file, or only if it has not been replaced. Returns whether there was one.
    @discardableResult
    func remove(_ place: EntryFolder.Place, ifStill known: FileStatus? = nil) throws -> Bool {
        guard isLimited || known != nil else { return try folder.files.remove(place.path) }
        return try stripes[place.shard % stripes.count].lock.withLock { _ in
            guard let status = try folder.files.status(place.path), status.isRegular else { return false }
            if let known, !status.isSameFile(as: known) { return false }
            guard try folder.files.remove(place.path) else { return false }
            state.withLock { $0.fill?.subtract(status) }
            return true
        }
    }

    /// Scans the folder and returns its size.
    func fill() throws -> DiskFill {
        try scanning.withLock { _ in DiskFill(try scan()) }
    }

    /// Evicts entries until the limits are met.
    func trim() throws {
        if isLimited { try makeRoom(sparing: nil) }
    }

    private func allows(_ state: State) -> Bool {
        guard let fill = state.fill else { return false }
        return limits.allow(count: fill.count + state.reserved.count, bytes: fill.bytes + state.reserved.bytes)
    }

    /// Returns whether so much was stored since the last scan that other processes may have stored as much.
    private func isStale(_ state: State) -> Bool {
        guard let fill = state.fill else { return true }
        if state.sinceScan.count >= max(256, fill.count / 8) { return true }
        return limits.bytes.map { state.sinceScan.bytes >= max(1 << 20, $0 / 8) } ?? false
    }

    private func move(
        _ temporary: String, charge: Int, to place: EntryFolder.Place, _ reservation: Amount
    ) throws -> Bool {
        try stripes[place.shard % stripes.count].lock.withLock { _ in
            let old = try folder.files.status(place.path)
            let new = try folder.files.status(temporary)
            guard let new, try folder.publish(temporary, at: place) else { return false }
            state.withLock { state in
                state.fill?.add(new)
                if let old { state.fill?.subtract(old) }
                state.reserved.add(reservation, sign: -1)
                state.added.add(Amount(count: old == nil ? 1 : 0, bytes: charge))
                state.sinceScan.add(Amount(count: 1, bytes: charge))
            }
            return true
        }
    }

    /// Scans the folder. The caller holds `scanning`.
    private func scan() throws -> [EntryFolder.Found] {
        state.withLock { $0.added = Amount() }
        let found = try folder.scan()
        state.withLock { state in
            // Entries added during the scan are always counted: rather twice than not at all.
            var fill = DiskFill(found)
            fill.count += state.added.count
            fill.bytes += state.added.bytes
            state.fill = fill
            state.sinceScan = state.added
        }
        return found
    }

    /// Evicts the files that were not used for the longest time, except pinned ones, until all files and those about to
    /// be added are within the limits.
    private func makeRoom(sparing place: EntryFolder.Place?) throws {
        // The clock is user code: read it before locking.
        let now = clock.now.timeIntervalSinceReferenceDate
        var evicted = (count: 0, bytes: 0)
        defer { if evicted.count > 0 { report(.evicted(count: evicted.count, bytes: evicted.bytes)) } }
        try scanning.withLock { _ in
            let isDone = place != nil && state.withLock { allows($0) && !isStale($0) }
            if isDone { return }
            // A scan counts entries added meanwhile twice, so it is repeated if it finds no room.
            for _ in 1...3 {
                let found = try scan()
                if try evict(found, sparing: place, now: now, &evicted) { return }
            }
            throw CacheError(
                .full, "Pinned entries fill the store. Remove or unpin some, or raise the limits of the store.")
        }
    }

    /// Evicts files and returns whether that was enough. It removes nothing if it cannot be.
    private func evict(
        _ found: [EntryFolder.Found], sparing place: EntryFolder.Place?, now: Double,
        _ evicted: inout (count: Int, bytes: Int)
    ) throws -> Bool {
        guard var amount = overLimit() else { return true }
        let target = limits.target(count: amount.count, bytes: amount.bytes)
        // A time in the future is from before the clock was set back.
        let candidates = found.filter { $0.status.isWritable && $0.place != place }
            .sorted { min($0.status.modified, now) < min($1.status.modified, now) }
        let bytes = candidates.reduce(0) { $0 + DiskFill.charge(fileSize: $1.status.size) }
        guard limits.allow(count: amount.count - candidates.count, bytes: amount.bytes - bytes) else { return false }
        for candidate in candidates {
            if target.allow(count: amount.count, bytes: amount.bytes) { break }
            // The mode of a copied file may be lost. Its header is reliable.
            if case .found(let item, _) = try EntryFile.item(candidate.place.path, on: folder.files), item.pinned {
                continue
            }
            guard try remove(candidate.place, ifStill: candidate.status) else { continue }
            let charge = DiskFill.charge(fileSize: candidate.status.size)
            amount.add(Amount(count: 1, bytes: charge), sign: -1)
            evicted.count += 1
            evicted.bytes += charge
        }
        return overLimit() == nil
    }

    /// The size of all entries and those about to be added, if it exceeds the limits.
    private func overLimit() -> Amount? {
        state.withLock { state in
            guard !allows(state), let fill = state.fill else { return nil }
            return Amount(count: fill.count + state.reserved.count, bytes: fill.bytes + state.reserved.bytes)
        }
    }
}
