/// The changes that have not reached a store yet, and the entries that readers see meanwhile. It only decides;
/// ``SharedStore`` acts.
///
/// - Changes of one key run one after the other. Of those that wait, only the combined result is written.
/// - A sweep removes many entries. It runs after the changes of its keys that were running when it was added, and before
///   all later ones. It drops changes of its keys that have not begun, because it would remove what they write.
/// - Sweeps do not wait for each other. Of several equal ones, one runs and one waits.
/// - A sweep that failed stays here. The entries that it should have removed are hidden, and it runs again before the
///   next change of its keys.
struct StoreQueue {
    typealias Waiter = CheckedContinuation<Void, Never>

    /// The entries that a sweep removes.
    enum Scope: Hashable, Sendable {
        case key(CacheKey)
        case prefix(CacheKey)
        case tag(String)

        func covers(_ key: CacheKey, _ entry: CacheEntry?) -> Bool {
            switch self {
            case .key(let one): key == one
            case .prefix(let prefix): key.hasPrefix(prefix)
            case .tag(let tag): entry?.tags.contains { $0.hasSameBytes(as: tag) } ?? false
            }
        }

        /// Returns whether the sweep could remove an entry that is about to be stored.
        ///
        /// - Parameters:
        ///   - key: The key of the entry; nil if it is not known.
        ///   - tags: The tags that the entry may have.
        func concerns(_ key: CacheKey?, tags: Set<String>) -> Bool {
            switch self {
            case .tag(let tag): tags.contains { $0.hasSameBytes(as: tag) }
            case .key, .prefix: key.map { covers($0, nil) } ?? true
            }
        }

        var isTag: Bool {
            if case .tag = self { true } else { false }
        }
    }

    /// Work on the store that the caller of the queue performs.
    enum Step: Sendable {
        /// Read the entry under a key, and call ``loaded(_:line:base:content:_:)``.
        case load(CacheKey, line: Int)
        /// Write an entry over another, and call ``written(_:line:stored:_:isUncertain:)``.
        ///
        /// If there is a moment, the store refuses an entry that was removed since.
        case write(CacheKey, line: Int, entry: CacheEntry?, over: CacheEntry?, since: CacheMoment?)
        /// Remove the entries of a scope, and call ``swept(_:_:)``.
        case sweep(Int, Scope)
    }

    /// The work that a transition leaves for the time after the lock of the queue is released.
    struct Effects: Sendable {
        var steps: [Step] = []
        var reports: [(StoreChange.Report, StoreChange.Outcome)] = []
        var waiters: [Waiter] = []
        /// Entries to release outside of the lock, because they may hold objects of the user.
        var released: [CacheEntry?] = []

        static func += (effects: inout Effects, others: Effects) {
            effects.steps += others.steps
            effects.reports += others.reports
            effects.waiters += others.waiters
            effects.released += others.released
        }
    }

    /// The state of a key for a reader.
    enum View: Sendable {
        case known(CacheEntry?)
        /// Known once the entry in the store was read.
        case loading
        /// Known once a job has finished.
        case busy
        /// Known once the store has accepted or refused an entry.
        case writing
        /// The entry in the store, unless it has one of these tags.
        case stored(hiddenTags: [String])
    }

    /// All pending work under one key.
    struct Line {
        var id: Int
        var version = 0
        /// The entry that the store is to have; nil until the present one was read.
        var content: CacheEntry??
        /// The entry in the store, as far as it is known.
        var stored: CacheEntry?
        /// The oldest moment of all that has led to the content.
        var since: StoreMoment?
        /// The edits that wait for the entry in the store.
        var edits: [StoreChange] = []
        var isDirty = false
        var isRunning = false
        var reports: [StoreChange.Report] = []
        var runningReports: [StoreChange.Report] = []
        /// The number of the oldest change that is not being written.
        var first: Int?
        var runningFirst: Int?
        var waiters: [Waiter] = []
        var cost = 0

        var oldest: Int? { runningFirst ?? first }

        /// A Boolean value that indicates whether an entry waits to be written.
        var hasUnwrittenEntry: Bool {
            if case .some(.some) = content { isDirty || isRunning } else { false }
        }

        /// A Boolean value that indicates whether the removal of the entry waits.
        var isRemoving: Bool {
            if case .some(.none) = content { isDirty || isRunning } else { false }
        }
    }

    struct Sweep {
        enum State { case waiting, running, failed }

        var number: Int
        let scope: Scope
        var state = State.waiting
        var reports: [StoreChange.Report] = []

        var isActive: Bool { state != .failed }
    }

    var lines: [CacheKey: Line] = [:]
    var sweeps: [Sweep] = []
    /// Jobs outside of the queue that ``wait(_:)`` waits for, and the keys whose readers wait for them.
    var jobs: [Int: CacheKey] = [:]
    var jobWaiters: [(key: CacheKey, number: Int, waiter: Waiter)] = []
    /// Readers that wait until the store has accepted or refused an entry.
    var writeWaiters: [(key: CacheKey, number: Int, waiter: Waiter)] = []
    /// Requests that wait until the removals of their responses, up to a number, have reached the store.
    var removalWaiters: [(key: CacheKey?, tags: Set<String>, last: Int, number: Int, waiter: Waiter)] = []
    /// A Boolean value that indicates whether readers wait for entries that are being written. Another process may have
    /// removed them.
    var hidesUnwritten = false
    var lastNumber = 0
    var waiters: [(last: Int, count: Int, waiter: Waiter)] = []
    /// The bytes that wait to be written.
    var bytes = 0

    /// The number of lines, sweeps and jobs. If it is 0, readers see the entries in the store.
    var count: Int { lines.count + sweeps.count + jobs.count }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Reading

    /// Returns the state of a key for a reader. Sweeps that failed and may concern the key are retried.
    ///
    /// - Parameters:
    ///   - mayBeBusy: Pass false if the reader has waited for jobs.
    ///   - mayBeWriting: Pass false if the reader has waited for a write. Then it gets the entry in the store.
    mutating func look(_ key: CacheKey, mayBeBusy: Bool = true, mayBeWriting: Bool = true) -> (View, Effects) {
        if mayBeBusy, !jobs.isEmpty, jobs.values.contains(key) { return (.busy, Effects()) }
        if let line = lines[key] {
            let isHidden = hidesUnwritten && line.hasUnwrittenEntry
            if !isHidden { return (line.content.map(View.known) ?? .loading, Effects()) }
            if mayBeWriting { return (.writing, Effects()) }
        }
        guard !sweeps.isEmpty else { return (.stored(hiddenTags: []), Effects()) }
        let isHidden = sweeps.contains { $0.scope.covers(key, nil) }
        let tags = hiddenTags
        let effects = retry { $0.isTag || $0.covers(key, nil) }
        return (isHidden ? .known(nil) : .stored(hiddenTags: tags), effects)
    }

    /// Adds a waiter for the entry in the store. Returns false if the entry is known.
    mutating func waitForContent(of key: CacheKey, _ waiter: Waiter) -> Bool {
        guard let line = lines[key], line.content == nil else { return false }
        lines[key]?.waiters.append(waiter)
        return true
    }

    /// Attaches an object to an entry that waits to be written. Returns false if the entry does not wait. The caller
    /// has to release the old entry outside of the lock.
    mutating func attach(
        _ object: any Sendable, to entry: CacheEntry, under key: CacheKey
    ) -> (isAttached: Bool, old: CacheEntry?) {
        guard let line = lines[key], case .some(let content?) = line.content, content.isCopy(of: entry) else {
            return (false, nil)
        }
        var changed = content
        changed.object = object
        lines[key]?.content = .some(changed)
        return (true, content)
    }

    /// Returns the responses that are being written, with the outputs made of them. Nil if other responses have
    /// replaced them.
    func responses(_ key: CacheKey, line id: Int) -> StoredResponses? {
        guard let line = lines[key], line.id == id, !line.isDirty, case .some(let content?) = line.content else {
            return nil
        }
        return content.object as? StoredResponses
    }

    // MARK: Changing

    enum Attempt: Sendable {
        case done(Effects)
        /// The caller applies the edit to this entry, and passes the result to ``commit(_:_:of:version:_:)``.
        case edit(CacheEntry?, line: Int, version: Int)
    }

    /// Begins a change of a key.
    mutating func begin(_ change: StoreChange, _ key: CacheKey) -> Attempt {
        guard change.isWanted else { return .done(Effects(reports: [(change.report, .unchanged)])) }
        var effects = Effects()
        if lines[key] == nil { effects += open(key, isBlind: change.isBlind) }
        guard let line = lines[key] else { return .done(effects) }
        switch (change.kind, line.content) {
        case (.set(let entry), _): effects += overwrite(key, entry, change)
        case (.remove, _): effects += overwrite(key, nil, change)
        case (.edit, nil):
            lines[key]?.edits.append(change)
            let number = nextNumber()
            lines[key]?.first = line.first ?? number
        case (.edit, .some(let entry)): return .edit(entry, line: line.id, version: line.version)
        }
        return .done(effects)
    }

    /// Commits the result of an edit. Nil if the entry has changed meanwhile; then the caller begins again.
    mutating func commit(
        _ change: StoreChange, _ key: CacheKey, of id: Int, version: Int, _ edit: StoreChange.Edit
    ) -> Effects? {
        guard let line = lines[key], line.id == id, line.version == version else { return nil }
        var effects = Effects()
        switch change.isWanted ? edit : .keep {
        case .keep:
            effects.reports.append((change.report, .unchanged))
            effects += closeIfIdle(key)
        case .set(let entry):
            effects += put(key, entry, [change.report], since: StoreMoment.older(line.since, change.moment))
        case .remove: effects += put(key, nil, [change.report])
        }
        return effects
    }

    /// Creates a line for a key.
    mutating func open(_ key: CacheKey, isBlind: Bool) -> Effects {
        var line = Line(id: nextNumber())
        // An entry that a sweep will remove counts as removed.
        if sweeps.contains(where: { $0.scope.covers(key, nil) }) { line.content = .some(nil) }
        let needsLoad = line.content == nil && !isBlind
        lines[key] = line
        return needsLoad ? Effects(steps: [.load(key, line: line.id)]) : Effects()
    }

    /// Replaces the present entry, whether it is known or not.
    mutating func overwrite(_ key: CacheKey, _ entry: CacheEntry?, _ change: StoreChange) -> Effects {
        var effects = Effects()
        guard let line = lines[key] else { return effects }
        effects.reports = (line.edits.map(\.report) + line.reports).map { ($0, .unchanged) }
        effects.waiters = line.waiters
        lines[key]?.edits = []
        lines[key]?.reports = []
        lines[key]?.waiters = []
        effects += put(key, entry, [change.report], since: change.moment)
        return effects
    }

    /// Sets the content of a line.
    ///
    /// - Parameter since: The oldest moment of all that has led to the entry.
    mutating func put(
        _ key: CacheKey, _ entry: CacheEntry?, _ reports: [StoreChange.Report], since: StoreMoment? = nil
    ) -> Effects {
        guard var line = lines[key] else { return Effects() }
        let number = nextNumber()
        var effects = Effects()
        effects.released = [line.content ?? nil]
        line.content = .some(entry)
        line.since = since
        line.version = number
        line.isDirty = true
        line.first = line.first ?? number
        line.reports += reports
        let cost = entry.map(StoreChange.cost) ?? 0
        bytes += cost - line.cost
        line.cost = cost
        lines[key] = line
        effects += start(key)
        return effects
    }

    // MARK: Loading

    /// The tags whose entries are hidden, because a sweep removes them.
    var hiddenTags: [String] {
        sweeps.compactMap { sweep in
            if case .tag(let tag) = sweep.scope { tag } else { nil }
        }
    }

    /// Returns the edits that wait for the entry in the store; nil if they no longer wait.
    func edits(of key: CacheKey, line id: Int) -> [StoreChange]? {
        guard let line = lines[key], line.id == id, line.content == nil else { return nil }
        return line.edits
    }

    /// Commits the result of the edits of a line. Nil if more edits were added; then the caller applies all of them
    /// again.
    ///
    /// - Parameters:
    ///   - content: The result of the edits, if they change anything.
    ///   - since: The oldest moment of the entry in the store and of the edits.
    mutating func loaded(
        _ key: CacheKey, line id: Int, base: CacheEntry?, content: CacheEntry??,
        _ outcomes: [(StoreChange.Report, isTaken: Bool)], since: StoreMoment? = nil
    ) -> Effects? {
        guard var line = lines[key], line.id == id, line.content == nil else { return Effects() }
        guard line.edits.count == outcomes.count else { return nil }
        var effects = Effects()
        effects.waiters = line.waiters
        effects.reports = outcomes.filter { !$0.isTaken }.map { ($0.0, .unchanged) }
        line.waiters = []
        line.edits = []
        line.stored = base
        line.content = .some(base)
        let first = line.first
        lines[key] = line
        if let content {
            effects += put(key, content, outcomes.filter(\.isTaken).map(\.0), since: since)
        } else {
            lines[key]?.first = nil
            effects += advanced(from: first, to: nil)
            effects += closeIfIdle(key)
        }
        return effects
    }

    /// Records that the entry in the store could not be read. Its edits fail, and nothing changes.
    mutating func loadFailed(_ key: CacheKey, line id: Int, _ error: any Error) -> Effects {
        guard let line = lines[key], line.id == id, line.content == nil else { return Effects() }
        lines[key] = nil
        var effects = Effects(reports: line.edits.map { ($0.report, .failed(error)) }, waiters: line.waiters)
        effects += advanced(from: line.first, to: nil)
        return effects
    }

    // MARK: Writing

    /// Starts to write the content of a line, unless other work comes first.
    mutating func start(_ key: CacheKey) -> Effects {
        guard var line = lines[key], line.isDirty, !line.isRunning, let content = line.content else { return Effects() }
        // Entries whose removal failed are removed first.
        let effects = retry { $0.covers(key, content) }
        if sweeps.contains(where: { $0.isActive && ($0.scope.isTag || $0.scope.covers(key, nil)) }) { return effects }
        line.isDirty = false
        line.isRunning = true
        line.runningReports = line.reports
        line.runningFirst = line.first
        line.reports = []
        line.first = nil
        lines[key] = line
        var all = effects
        all.steps.append(
            .write(key, line: line.id, entry: content, over: line.stored, since: line.since?.moment))
        return all
    }

    /// Records the end of a write.
    ///
    /// - Parameters:
    ///   - stored: The entry that the store has now.
    ///   - isUncertain: A Boolean value that indicates whether the store may still have the old entry.
    mutating func written(
        _ key: CacheKey, line id: Int, stored: CacheEntry?, _ outcome: StoreChange.Outcome, isUncertain: Bool = false
    ) -> Effects {
        guard var line = lines[key], line.id == id else { return Effects() }
        var effects = Effects(reports: line.runningReports.map { ($0, outcome) })
        effects.released = [line.stored]
        let first = line.runningFirst
        line.isRunning = false
        line.runningReports = []
        line.runningFirst = nil
        line.stored = stored
        lines[key] = line
        if isUncertain, !line.isDirty { sweeps.append(Sweep(number: nextNumber(), scope: .key(key), state: .failed)) }
        effects += advanced(from: first, to: line.first)
        effects += start(key)
        effects += closeIfIdle(key)
        effects += startSweeps()
        effects.waiters += takeWriteWaiters(key) + takeRemovalWaiters()
        return effects
    }

    /// Removes a line that has no more work.
    mutating func closeIfIdle(_ key: CacheKey) -> Effects {
        guard let line = lines[key], !line.isDirty, !line.isRunning, line.content != nil else { return Effects() }
        lines[key] = nil
        bytes -= line.cost
        var effects = Effects()
        effects.waiters = line.waiters
        effects.released = [line.content ?? nil, line.stored]
        return effects
    }
}
