/// The removal of many entries at once.
extension StoreQueue {
    /// The entries that a sweep removes.
    enum Scope: Hashable, Sendable {
        case key(CacheKey)
        case prefix(CacheKey)
        case tag(String)

        func covers(_ key: CacheKey, _ entry: CacheEntry?) -> Bool {
            switch self {
            case .key(let one): key == one
            case .prefix(let prefix): key.hasPrefix(prefix)
            case .tag(let tag): entry?.tags.containsBytes(of: tag) ?? false
            }
        }

        /// Returns whether the sweep could remove an entry that is about to be stored.
        ///
        /// - Parameters:
        ///   - key: The key of the entry; nil if it is not known.
        ///   - tags: The tags that the entry may have.
        func concerns(_ key: CacheKey?, tags: Set<String>) -> Bool {
            switch self {
            case .tag(let tag): tags.containsBytes(of: tag)
            case .key, .prefix: key.map { covers($0, nil) } ?? true
            }
        }

        var isTag: Bool { tag != nil }

        var tag: String? {
            if case .tag(let tag) = self { tag } else { nil }
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

    /// The tags whose entries are hidden, because a sweep removes them.
    var hiddenTags: [String] { sweeps.compactMap(\.scope.tag) }

    /// Returns whether a sweep removes the entry under a key, whatever its tags.
    func isHidden(_ key: CacheKey) -> Bool {
        sweeps.contains { $0.scope.covers(key, nil) }
    }

    /// Adds a sweep, and drops the pending changes of the entries that it removes.
    mutating func sweep(_ scope: Scope, _ report: @escaping StoreChange.Report) {
        for (key, line) in lines {
            if scope.isTag, line.content == nil {
                // The entry that is being read may have the tag, so it is read again.
                let id = nextNumber()
                lines[key]?.id = id
                effects.steps.append(.load(key, line: id))
            } else if scope.covers(key, line.content ?? nil) {
                drop(key, line, .unchanged)
            }
        }
        // The number of the older sweep stays, because requests may wait for that one.
        if let place = sweeps.firstIndex(where: { $0.state == .waiting && $0.scope == scope }) {
            sweeps[place].reports.append(report)
        } else {
            sweeps.append(Sweep(number: nextNumber(), scope: scope, reports: [report]))
        }
        startSweeps()
    }

    /// Starts all sweeps that wait, apart from those in whose scope a write or an equal sweep is running.
    mutating func startSweeps() {
        for place in sweeps.indices where sweeps[place].state == .waiting {
            let scope = sweeps[place].scope
            let isBusy =
                sweeps.contains { $0.state == .running && $0.scope == scope }
                || lines.contains { key, line in line.running != nil && (scope.isTag || scope.covers(key, nil)) }
            guard !isBusy else { continue }
            sweeps[place].state = .running
            effects.steps.append(.sweep(sweeps[place].number, scope))
        }
    }

    /// Records the end of a sweep.
    mutating func swept(_ number: Int, _ error: (any Error)?) {
        guard let place = sweeps.firstIndex(where: { $0.number == number }) else { return }
        let sweep = sweeps[place]
        hasProgress = true
        for report in sweep.reports { effects.reports.append((report, error.map { .failed($0) } ?? .done)) }
        // A failed sweep is in the list once, however often it was retried.
        sweeps.removeAll { $0.number == number || !$0.isActive && $0.scope == sweep.scope }
        if let error {
            sweeps.append(Sweep(number: number, scope: sweep.scope, state: .failed))
            for (key, line) in lines where line.waiting != nil && line.running == nil {
                if sweep.scope.covers(key, line.content ?? nil) { drop(key, line, .failed(error)) }
            }
            boundFailed()
        }
        startSweeps()
        for key in lines.keys { start(key) }
    }

    /// Retries the failed sweeps whose scopes match a condition.
    mutating func retry(_ isConcerned: (Scope) -> Bool) {
        var isAny = false
        for place in sweeps.indices where !sweeps[place].isActive && isConcerned(sweeps[place].scope) {
            sweeps[place].state = .waiting
            sweeps[place].number = nextNumber()
            isAny = true
        }
        if isAny { startSweeps() }
    }

    /// The highest number of failed sweeps that are remembered separately.
    static let failedLimit = 1024

    /// If more sweeps have failed, replaces them by the removal of all entries of this library. Entries whose removal
    /// failed are never served.
    private mutating func boundFailed() {
        guard sweeps.count(where: { !$0.isActive }) > Self.failedLimit else { return }
        sweeps.removeAll { !$0.isActive }
        for prefix in StoreChange.prefixes {
            sweeps.append(Sweep(number: nextNumber(), scope: .prefix(prefix), state: .failed))
        }
    }
}
