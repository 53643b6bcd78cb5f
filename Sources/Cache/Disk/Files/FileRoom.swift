import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps the files of a folder within limits, and does all that adds or removes one.
///
/// How much there is, is known from a scan and from what this process has done since. As other processes do things
/// too, it is scanned again each time the limits seem to be reached, and every so many files. The locks in here are
/// those of one process; between processes there are none, because a system that suspends an application kills it if
/// it holds one.
final class FileRoom: Sendable {
    private struct State {
        /// What there is, nil before the first scan.
        var fill: DiskFill?
        /// What is about to be added.
        var reserved = Amount()
        /// What was added since the scan under way began, which may or may not have seen it.
        var added = Amount()
        /// What was stored since the last scan, new or in place of another.
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

    /// Held by who scans.
    private let scanning = Mutex(())

    /// Held by who changes a file and counts it, one lock for each sixteenth of the files.
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

    /// Throws if an entry alone is more than there may be.
    func check(_ charge: Int) throws {
        if limits.count == 0 { throw CacheError.noEntries }
        if let limit = limits.bytes, charge > limit {
            throw CacheError(
                .tooLarge, "The entry counts for \(charge) bytes, the store may hold \(limit): raise its limit.")
        }
    }

    /// Moves a finished file to its place, once there is room; false if somebody has removed it.
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
        // The entry that this one was to replace may have given way to another meanwhile, so that both are too much.
        if !state.withLock({ allows($0) }) { try? makeRoom(sparing: place) }
        return true
    }

    /// Removes a file, or only if it still is the one that was looked at before; returns whether it was there.
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

    /// What there is, by a scan.
    func fill() throws -> DiskFill {
        try scanning.withLock { _ in DiskFill(try scan()) }
    }

    /// Removes what is too much.
    func trim() throws {
        if isLimited { try makeRoom(sparing: nil) }
    }

    private func allows(_ state: State) -> Bool {
        guard let fill = state.fill else { return false }
        return limits.allow(count: fill.count + state.reserved.count, bytes: fill.bytes + state.reserved.bytes)
    }

    /// Whether so much was stored since the last scan that others may have stored as much.
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

    /// Scans, and counts what there is. Whoever calls it holds `scanning`.
    private func scan() throws -> [EntryFolder.Found] {
        state.withLock { $0.added = Amount() }
        let found = try folder.scan()
        state.withLock { state in
            // What came during the scan is counted in any case: rather twice than not at all.
            var fill = DiskFill(found)
            fill.count += state.added.count
            fill.bytes += state.added.bytes
            state.fill = fill
            state.sinceScan = state.added
        }
        return found
    }

    /// Removes the files that were not used for the longest time, but no pinned ones, until all that is there and is
    /// about to be added is within the limits.
    private func makeRoom(sparing place: EntryFolder.Place?) throws {
        // The clock is the user's: it is asked before anything is locked.
        let now = clock.now.timeIntervalSinceReferenceDate
        var evicted = (count: 0, bytes: 0)
        defer { if evicted.count > 0 { report(.evicted(count: evicted.count, bytes: evicted.bytes)) } }
        try scanning.withLock { _ in
            let isDone = place != nil && state.withLock { allows($0) && !isStale($0) }
            if isDone { return }
            // A scan counts what comes meanwhile twice, so one that finds no way out is repeated.
            for _ in 1...3 {
                let found = try scan()
                if try evict(found, sparing: place, now: now, &evicted) { return }
            }
            throw CacheError(
                .full, "All that could give way are pinned entries: remove or unpin some, or raise the limits.")
        }
    }

    /// Whether that was enough. It removes nothing where it could not be.
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
            // The mode of a file may have been lost where it was copied; its header knows.
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

    /// What there is and is about to be added, if it is too much.
    private func overLimit() -> Amount? {
        state.withLock { state in
            guard !allows(state), let fill = state.fill else { return nil }
            return Amount(count: fill.count + state.reserved.count, bytes: fill.bytes + state.reserved.bytes)
        }
    }
}
