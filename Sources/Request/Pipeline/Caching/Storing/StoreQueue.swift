/// The changes that have not reached a store yet, and the entries that readers see meanwhile. It only decides;
/// ``SharedStore`` acts. A transition leaves the work for the time after the lock in ``effects``.
///
/// - Changes of one key run one after the other. Of those that wait, only the combined result is written.
/// - A sweep removes many entries. It runs after the changes and the jobs of its keys that were running when it was
///   added, and before all later changes. It ends changes of its keys that have not begun, because it would remove what
///   they write.
/// - Sweeps do not wait for each other. Of several equal ones, one runs and one waits.
/// - A sweep that failed stays here. The entries that it should have removed are hidden, and it runs again before the
///   next change of its keys.
///
/// Work and waiters have numbers in the order in which they came. A waiter waits for the work before it.
struct StoreQueue {
    typealias Waiter = CheckedContinuation<Void, Never>

    /// Work on the store that the caller of the queue performs.
    enum Step: Sendable {
        /// Read the entry under a key, and call ``loaded(_:line:_:since:)``.
        case load(CacheKey, line: Int)
        /// Write an entry over another, and call ``written(_:line:stored:_:isUncertain:)``.
        ///
        /// If there is a moment, the store refuses an entry that was removed since.
        case write(CacheKey, line: Int, entry: CacheEntry?, over: CacheEntry?, since: CacheMoment?)
        /// Remove the entries of a scope, and call ``swept(_:_:)``.
        case sweep(Int, CacheChange)
    }

    struct Effects: Sendable {
        var steps: [Step] = []
        var reports: [(StoreChange.Report, StoreChange.Outcome)] = []
        var waiters: [Waiter] = []
        /// Entries and edits to release outside of the lock, because they may hold objects of the user.
        var released: [CacheEntry?] = []
        var done: [StoreChange] = []
    }

    /// The state of a key for a reader.
    enum View: Sendable {
        case known(CacheEntry?)
        /// Known after ``Wait/load(_:)``.
        case loading
        /// Known after ``Wait/changes(_:)``.
        case changing
        /// The entry in the store, unless it has one of these tags.
        case stored(hiddenTags: [String])
    }

    /// The work that a waiter waits for.
    enum Wait: Sendable {
        /// The entry in the store, which the edits of a key need.
        case load(CacheKey)
        /// The jobs of a key and, if readers may not see it before, the edits and the write of its entry.
        case changes(CacheKey)
        /// The removals of a response: those of its key and of its tags.
        case removals(CacheKey?, tags: Set<String>)
        case everything
    }

    /// Changes of a key that reach the store together.
    struct Batch {
        /// The number of the oldest one.
        var first: Int
        var reports: [StoreChange.Report] = []
    }

    /// All pending work under one key.
    struct Line {
        var id: Int
        /// The entry that the store is to have; nil until the present one was read.
        var content: CacheEntry??
        /// The entry in the store, as far as it is known.
        var stored: CacheEntry?
        /// The oldest moment of all that has led to the content.
        var since: StoreMoment?
        /// The edits that wait for the entry in the store.
        var edits: [StoreChange] = []
        /// The changes that are not being written, and those that are.
        var waiting: Batch?
        var running: Batch?
        var cost = 0

        var oldest: Int? { running?.first ?? waiting?.first }

        /// Returns whether work with at most this number waits to store an entry, or to remove it.
        func isWriting(entry: Bool, upTo last: Int = .max) -> Bool {
            guard let content, (content != nil) == entry, let oldest else { return false }
            return oldest <= last
        }

        /// Returns whether work with at most this number stores an entry, or may do so. The result of edits is not known while
        /// they wait for the entry in the store.
        func mayStore(upTo last: Int) -> Bool {
            content == nil ? oldest.map { $0 <= last } ?? false : isWriting(entry: true, upTo: last)
        }
    }

    var effects = Effects()
    var lines: [CacheKey: Line] = [:]
    var sweeps: [Sweep] = []
    /// Jobs outside of the queue, such as the commit of a body, that lead to a change of a key.
    var jobs: [Int: CacheKey] = [:]
    var waiters: [(number: Int, wait: Wait, waiter: Waiter)] = []
    /// A Boolean value that indicates whether work has ended, so that waiters may continue.
    var hasProgress = false
    /// A Boolean value that indicates whether the store has a history. Another process may have removed what is being
    /// written, so readers wait for it.
    var hasHistory = false
    var lastNumber = 0
    /// The bytes that wait to be written.
    var bytes = 0

    /// The number of lines, sweeps and jobs. If it is 0, readers see the entries in the store.
    var count: Int { lines.count + sweeps.count + jobs.count }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Returns the work that is left for the time after the lock.
    mutating func takeEffects() -> Effects {
        if hasProgress, !waiters.isEmpty {
            let all = waiters
            waiters = []
            for (number, wait, waiter) in all { add(waiter, wait, number: number) }
        }
        hasProgress = false
        defer { effects = Effects() }
        return effects
    }

    // MARK: Reading

    /// Returns the state of a key for a reader. Sweeps that failed and may concern the key are retried.
    ///
    /// - Parameter mayWait: Pass false if the reader has waited for changes. Then it gets the entry in the store.
    mutating func peek(_ key: CacheKey, mayWait: Bool = true) -> View {
        if mayWait, isChanging(key) { return .changing }
        if let line = lines[key], !hasHistory || !line.isWriting(entry: true) {
            return line.content.map(View.known) ?? .loading
        }
        guard !sweeps.isEmpty else { return .stored(hiddenTags: []) }
        let isHidden = isHidden(key)
        let tags = hiddenTags
        retry { $0.isTag || $0.concerns(key, tags: []) }
        return isHidden ? .known(nil) : .stored(hiddenTags: tags)
    }

    /// Attaches an object to an entry that waits to be written. Returns false if the entry does not wait.
    mutating func attach(_ object: any Sendable, to entry: CacheEntry, under key: CacheKey) -> Bool {
        guard case .some(let content?) = lines[key]?.content, content.isCopy(of: entry) else { return false }
        var changed = content
        changed.object = object
        lines[key]?.content = .some(changed)
        effects.released.append(content)
        return true
    }

    /// Returns the responses that are being written, with the outputs made of them. Nil if other responses have
    /// replaced them.
    func responses(_ key: CacheKey, line id: Int) -> StoredResponses? {
        guard let line = lines[key], line.id == id, line.waiting == nil, case .some(let content?) = line.content else {
            return nil
        }
        return content.object as? StoredResponses
    }

    // MARK: Changing

    /// Makes a change of a key. An edit waits until the entry in the store is known.
    mutating func apply(_ change: StoreChange, to key: CacheKey) {
        guard change.isWanted else { return report([change.report], .unchanged) }
        var line = lines[key] ?? open(key, isBlind: change.isBlind)
        switch change.kind {
        case .set(let entry): overwrite(key, entry, change)
        case .edit(let edit):
            guard let content = line.content else {
                line.edits.append(change)
                line.waiting = line.waiting ?? Batch(first: nextNumber())
                lines[key] = line
                return
            }
            switch edit(content) {
            case .keep:
                report([change.report], .unchanged)
                closeIfIdle(key)
            case .set(let entry):
                let since = entry == nil ? nil : StoreMoment.older(line.since, change.moment)
                put(key, entry, [change.report], since: since)
            }
        }
    }

    /// Creates a line for a key.
    private mutating func open(_ key: CacheKey, isBlind: Bool) -> Line {
        var line = Line(id: nextNumber())
        // An entry that a sweep will remove counts as removed.
        if isHidden(key) { line.content = .some(nil) }
        if line.content == nil, !isBlind { effects.steps.append(.load(key, line: line.id)) }
        lines[key] = line
        return line
    }

    /// Replaces the present entry, whether it is known or not.
    private mutating func overwrite(_ key: CacheKey, _ entry: CacheEntry?, _ change: StoreChange) {
        endPending(key, .unchanged)
        put(key, entry, [change.report], since: change.moment)
    }

    /// Replaces the pending changes of a key by the removal of the entry that they would have replaced. They have an
    /// outcome. Waiters of these changes wait for the removal.
    mutating func remove(_ key: CacheKey, insteadWith outcome: StoreChange.Outcome) {
        endPending(key, outcome)
        put(key, nil, [])
    }

    /// Reports an outcome of all changes that have not begun.
    private mutating func endPending(_ key: CacheKey, _ outcome: StoreChange.Outcome) {
        guard let line = lines[key] else { return }
        report(line.edits.map(\.report) + (line.waiting?.reports ?? []), outcome)
        effects.done += line.edits
        lines[key]?.edits = []
        lines[key]?.waiting?.reports = []
    }

    /// Sets the content of a line.
    ///
    /// - Parameter since: The oldest moment of all that has led to the entry.
    private mutating func put(
        _ key: CacheKey, _ entry: CacheEntry?, _ reports: [StoreChange.Report], since: StoreMoment? = nil
    ) {
        guard var line = lines[key] else { return }
        effects.released.append(line.content ?? nil)
        hasProgress = true
        line.content = .some(entry)
        line.since = since
        line.waiting = line.waiting ?? Batch(first: nextNumber())
        line.waiting?.reports += reports
        let cost = entry.map(StoreChange.cost) ?? 0
        bytes += cost - line.cost
        line.cost = cost
        lines[key] = line
        start(key)
    }

    private mutating func report(_ reports: [StoreChange.Report], _ outcome: StoreChange.Outcome) {
        for report in reports { effects.reports.append((report, outcome)) }
    }

    // MARK: Loading

    /// Returns whether an edit that waits for the entry in the store has no moment of its own.
    func needsMoment(_ key: CacheKey, line id: Int) -> Bool {
        guard let line = lines[key], line.id == id, line.content == nil else { return false }
        return line.edits.contains { !$0.hasMoment }
    }

    /// Applies the edits that wait for the entry in the store.
    ///
    /// - Parameter moment: The moment since which that entry must not be removed; nil if the moments of the edits are
    ///   older.
    mutating func loaded(_ key: CacheKey, line id: Int, _ base: CacheEntry?, since moment: StoreMoment? = nil) {
        guard var line = lines[key], line.id == id, line.content == nil else { return }
        // The store cannot be reached, so nothing changes.
        if let error = moment?.error { return drop(key, line, .failed(error)) }
        // An edit without a moment was added meanwhile, so the entry is read again.
        if hasHistory, moment == nil, needsMoment(key, line: id) { return effects.steps.append(.load(key, line: id)) }
        hasProgress = true
        line.stored = base
        line.content = .some(base)
        var since = moment
        var reports: [StoreChange.Report] = []
        for change in line.edits {
            let present = line.content ?? nil
            effects.released.append(present)
            guard change.isWanted, case .edit(let edit) = change.kind, case .set(let entry) = edit(present) else {
                report([change.report], .unchanged)
                continue
            }
            line.content = .some(entry)
            if entry != nil { since = StoreMoment.older(since, change.moment) }
            reports.append(change.report)
        }
        effects.done += line.edits
        line.edits = []
        if reports.isEmpty { line.waiting = nil }
        lines[key] = line
        if reports.isEmpty { closeIfIdle(key) } else { put(key, line.content ?? nil, reports, since: since) }
    }

    /// Records that the entry in the store could not be read. Its edits fail. The entry is removed, because they would
    /// have replaced it.
    mutating func loadFailed(_ key: CacheKey, line id: Int, _ error: any Error) {
        guard let line = lines[key], line.id == id, line.content == nil else { return }
        remove(key, insteadWith: .failed(error))
    }

    // MARK: Writing

    /// Starts to write the content of a line, unless other work comes first.
    mutating func start(_ key: CacheKey) {
        guard var line = lines[key], line.waiting != nil, line.running == nil, let content = line.content else {
            return
        }
        // Entries whose removal failed are removed first.
        retry { $0.concerns(key, tags: content?.tags ?? []) }
        if sweeps.contains(where: { $0.isActive && ($0.scope.isTag || $0.scope.concerns(key, tags: [])) }) { return }
        line.running = line.waiting
        line.waiting = nil
        lines[key] = line
        effects.steps.append(.write(key, line: line.id, entry: content, over: line.stored, since: line.since?.moment))
    }

    /// Records the end of a write.
    ///
    /// - Parameters:
    ///   - stored: The entry that the store has now.
    ///   - isUncertain: A Boolean value that indicates whether the store may still have the old entry.
    @inline(never)
    mutating func written(
        _ key: CacheKey, line id: Int, stored: CacheEntry?, _ outcome: StoreChange.Outcome, isUncertain: Bool = false
    ) {
        guard var line = lines[key], line.id == id else { return }
        hasProgress = true
        report(line.running?.reports ?? [], outcome)
        effects.released.append(line.stored)
        line.running = nil
        line.stored = stored
        lines[key] = line
        if isUncertain, line.waiting == nil {
            sweeps.append(Sweep(number: nextNumber(), scope: .key(key), state: .failed))
        }
        start(key)
        closeIfIdle(key)
        startSweeps()
    }

    /// Removes a line that has no more work.
    private mutating func closeIfIdle(_ key: CacheKey) {
        guard let line = lines[key], line.oldest == nil, line.content != nil else { return }
        drop(key, line, .unchanged)
    }

    /// Ends the work of a line that has not begun. Its edits and changes have an outcome.
    mutating func drop(_ key: CacheKey, _ line: Line, _ outcome: StoreChange.Outcome) {
        hasProgress = true
        report(line.edits.map(\.report) + (line.waiting?.reports ?? []), outcome)
        effects.released += [line.content ?? nil, line.stored]
        effects.done += line.edits
        bytes -= line.cost
        guard line.running != nil else {
            lines[key] = nil
            return
        }
        // The write that is running goes on, and the store will not have its entry.
        var rest = Line(id: line.id)
        rest.content = .some(nil)
        rest.stored = line.stored
        rest.running = line.running
        lines[key] = rest
    }
}
