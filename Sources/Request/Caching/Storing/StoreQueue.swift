import TangoCache

/// The changes that have not reached a store yet, and what a reader sees meanwhile. It decides; ``SharedStore`` acts.
///
/// - Changes of one key run one after the other. Of those that wait, only what they come to is written.
/// - A sweep removes many entries. It runs after the changes that were running when it came, and before all later ones. Changes
///   of its keys that have not begun are dropped, because it would remove what they write.
/// - A sweep that failed stays here: what it should have removed is hidden, and it runs again before the next change of its keys.
struct StoreQueue {
    typealias Waiter = CheckedContinuation<Void, Never>

    /// What a sweep removes.
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

        var isTag: Bool {
            if case .tag = self { true } else { false }
        }
    }

    /// Something to be done with the store, by whoever gets it from the queue.
    enum Step: Sendable {
        /// Read what there is under a key, and call ``loaded(_:of:_:)``.
        case load(CacheKey, line: Int)
        /// Write an entry over another, and call ``written(_:of:_:)``.
        case write(CacheKey, line: Int, entry: CacheEntry?, over: CacheEntry?)
        /// Remove, and call ``swept(_:_:)``.
        case sweep(Int, Scope)
    }

    /// What a transition leaves to be done once the lock of the queue is released.
    struct Effects: Sendable {
        var steps: [Step] = []
        var reports: [(StoreChange.Report, StoreChange.Outcome)] = []
        var waiters: [Waiter] = []
        /// What may hold something of the user's.
        var released: [CacheEntry?] = []

        static func += (effects: inout Effects, others: Effects) {
            effects.steps += others.steps
            effects.reports += others.reports
            effects.waiters += others.waiters
            effects.released += others.released
        }
    }

    /// What a reader of a key sees.
    enum View: Sendable {
        case known(CacheEntry?)
        /// Known once what the store has was read.
        case loading
        /// Known once some work has been done.
        case busy
        /// What the store has, unless it has one of these tags.
        case stored(hiddenTags: [String])
    }

    /// All that is to happen under one key.
    struct Line {
        var id: Int
        var version = 0
        /// What the store is to have; nil until what it has was read.
        var content: CacheEntry??
        /// What the store has, as far as that is known.
        var stored: CacheEntry?
        /// Edits that wait for what the store has.
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
    /// Work beside the queue that ``wait(_:)`` waits for, and the keys whose readers wait for it.
    var jobs: [Int: CacheKey] = [:]
    var jobWaiters: [(key: CacheKey, number: Int, waiter: Waiter)] = []
    var lastNumber = 0
    var waiters: [(last: Int, count: Int, waiter: Waiter)] = []
    /// The bytes that wait to be written.
    var bytes = 0

    /// How many lines and sweeps there are: none means that readers see what the store has.
    var count: Int { lines.count + sweeps.count + jobs.count }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Reading

    /// What a reader of a key sees. Sweeps that failed and may concern it are tried again.
    mutating func look(_ key: CacheKey, mayBeBusy: Bool = true) -> (View, Effects) {
        if mayBeBusy, !jobs.isEmpty, jobs.values.contains(key) { return (.busy, Effects()) }
        if let line = lines[key] { return (line.content.map(View.known) ?? .loading, Effects()) }
        guard !sweeps.isEmpty else { return (.stored(hiddenTags: []), Effects()) }
        let isHidden = sweeps.contains { $0.scope.covers(key, nil) }
        let tags = hiddenTags
        let effects = retry { $0.isTag || $0.covers(key, nil) }
        return (isHidden ? .known(nil) : .stored(hiddenTags: tags), effects)
    }

    /// Notes who waits until what the store has under a key was read. False if that is known.
    mutating func waitForContent(of key: CacheKey, _ waiter: Waiter) -> Bool {
        guard let line = lines[key], line.content == nil else { return false }
        lines[key]?.waiters.append(waiter)
        return true
    }

    /// Keeps an object beside an entry that waits to be written. False if it does not wait; the entry that the other replaces must
    /// be released outside of the lock.
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

    /// The responses that are being written, with what was made of them; nil if others have taken their place.
    func responses(_ key: CacheKey, line id: Int) -> StoredResponses? {
        guard let line = lines[key], line.id == id, !line.isDirty, case .some(let content?) = line.content else {
            return nil
        }
        return content.object as? StoredResponses
    }

    // MARK: Changing

    enum Attempt: Sendable {
        case done(Effects)
        /// The edit is to be applied to this, and handed to ``commit(_:_:of:version:_:)``.
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

    /// Takes the result of an edit; nil if something has changed meanwhile, so that it has to begin again.
    mutating func commit(
        _ change: StoreChange, _ key: CacheKey, of id: Int, version: Int, _ edit: StoreChange.Edit
    ) -> Effects? {
        guard let line = lines[key], line.id == id, line.version == version else { return nil }
        var effects = Effects()
        switch change.isWanted ? edit : .keep {
        case .keep:
            effects.reports.append((change.report, .unchanged))
            effects += closeIfIdle(key)
        case .set(let entry): effects += put(key, entry, [change.report])
        case .remove: effects += put(key, nil, [change.report])
        }
        return effects
    }

    /// Makes a line for a key.
    mutating func open(_ key: CacheKey, isBlind: Bool) -> Effects {
        var line = Line(id: nextNumber())
        // What is being removed is as good as gone.
        if sweeps.contains(where: { $0.scope.covers(key, nil) }) { line.content = .some(nil) }
        let needsLoad = line.content == nil && !isBlind
        lines[key] = line
        return needsLoad ? Effects(steps: [.load(key, line: line.id)]) : Effects()
    }

    /// Puts an entry in the place of whatever there is, or will be.
    mutating func overwrite(_ key: CacheKey, _ entry: CacheEntry?, _ change: StoreChange) -> Effects {
        var effects = Effects()
        guard let line = lines[key] else { return effects }
        effects.reports = (line.edits.map(\.report) + line.reports).map { ($0, .unchanged) }
        effects.waiters = line.waiters
        lines[key]?.edits = []
        lines[key]?.reports = []
        lines[key]?.waiters = []
        effects += put(key, entry, [change.report])
        return effects
    }

    mutating func put(_ key: CacheKey, _ entry: CacheEntry?, _ reports: [StoreChange.Report]) -> Effects {
        guard var line = lines[key] else { return Effects() }
        let number = nextNumber()
        var effects = Effects()
        effects.released = [line.content ?? nil]
        line.content = .some(entry)
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

    /// The tags of entries that are hidden, because they are to be removed.
    var hiddenTags: [String] {
        sweeps.compactMap { sweep in
            if case .tag(let tag) = sweep.scope { tag } else { nil }
        }
    }

    /// The edits that wait for what the store has; nil if they do not wait any more.
    func edits(of key: CacheKey, line id: Int) -> [StoreChange]? {
        guard let line = lines[key], line.id == id, line.content == nil else { return nil }
        return line.edits
    }

    /// Takes what came of the edits of a line; nil if there are more by now, so that they have to be applied again.
    ///
    /// - Parameter content: What they come to, if they change anything.
    mutating func loaded(
        _ key: CacheKey, line id: Int, base: CacheEntry?, content: CacheEntry??,
        _ outcomes: [(StoreChange.Report, isTaken: Bool)]
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
            effects += put(key, content, outcomes.filter(\.isTaken).map(\.0))
        } else {
            lines[key]?.first = nil
            effects += advanced(from: first, to: nil)
            effects += closeIfIdle(key)
        }
        return effects
    }

    /// What the store has could not be read: nothing is changed.
    mutating func loadFailed(_ key: CacheKey, line id: Int, _ error: any Error) -> Effects {
        guard let line = lines[key], line.id == id, line.content == nil else { return Effects() }
        lines[key] = nil
        var effects = Effects(reports: line.edits.map { ($0.report, .failed(error)) }, waiters: line.waiters)
        effects += advanced(from: line.first, to: nil)
        return effects
    }

    // MARK: Writing

    /// Begins to write what a line comes to, unless something has to come first.
    mutating func start(_ key: CacheKey) -> Effects {
        guard var line = lines[key], line.isDirty, !line.isRunning, let content = line.content else { return Effects() }
        // What failed to be removed has to go first.
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
        all.steps.append(.write(key, line: line.id, entry: content, over: line.stored))
        return all
    }

    /// A write has ended.
    ///
    /// - Parameters:
    ///   - stored: What the store has now.
    ///   - isUncertain: Whether the store may still have what was to be replaced.
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
        effects += startSweep()
        return effects
    }

    /// Removes a line of which nothing is left to be done.
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
