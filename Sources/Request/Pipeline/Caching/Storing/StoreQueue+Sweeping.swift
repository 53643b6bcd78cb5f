/// The removal of many entries at once.
extension StoreQueue {
    /// A removal of the entries in a scope, which is never ``CacheChange/all``.
    struct Sweep {
        enum State { case waiting, running, failed }

        var number: Int
        let scope: CacheChange
        var state = State.waiting
        var reports: [StoreChange.Report] = []

        var isActive: Bool { state != .failed }
    }

    /// The tags whose entries are hidden, because a sweep removes them.
    var hiddenTags: [String] { sweeps.compactMap(\.scope.tag) }

    /// Returns whether a sweep removes the entry under a key, whatever its tags.
    func isHidden(_ key: CacheKey) -> Bool {
        sweeps.contains { $0.scope.concerns(key, tags: []) }
    }

    /// Adds a sweep, and ends the pending changes of the entries that it removes.
    mutating func sweep(_ scope: CacheChange, _ report: @escaping StoreChange.Report) {
        for (key, line) in lines {
            if scope.isTag, line.content == nil {
                // The entry that is being read may have the tag, so it is read again.
                let id = nextNumber()
                let edits = line.edits.map { removal(insteadOf: $0) }
                lines[key]?.id = id
                lines[key]?.edits = edits
                effects.steps.append(.load(key, line: id))
            } else if scope.concerns(key, tags: line.content??.tags ?? []) {
                end(key, line, of: scope, .unchanged)
            }
        }
        // The number of the older sweep stays, because requests may wait for that one. It does not wait for later jobs.
        let place = sweeps.firstIndex { sweep in
            sweep.state == .waiting && sweep.scope == scope && !jobs.keys.contains { $0 > sweep.number }
        }
        if let place {
            sweeps[place].reports.append(report)
        } else {
            sweeps.append(Sweep(number: nextNumber(), scope: scope, reports: [report]))
        }
        startSweeps()
    }

    /// Starts all sweeps that wait, apart from those in whose scope a write, an earlier job or an equal sweep is
    /// running.
    mutating func startSweeps() {
        for place in sweeps.indices where sweeps[place].state == .waiting {
            let (scope, number) = (sweeps[place].scope, sweeps[place].number)
            func mayConcern(_ key: CacheKey) -> Bool { scope.isTag || scope.concerns(key, tags: []) }
            let isBusy =
                sweeps.contains { $0.state == .running && $0.scope == scope }
                || lines.contains { key, line in line.running != nil && mayConcern(key) }
                || jobs.contains { job, key in job < number && mayConcern(key) }
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
                if sweep.scope.concerns(key, tags: line.content??.tags ?? []) {
                    end(key, line, of: sweep.scope, .failed(error))
                }
            }
            boundFailed()
        }
        startSweeps()
        for key in lines.keys { start(key) }
    }

    /// Ends the pending changes of a key in the scope of a sweep. They have an outcome.
    private mutating func end(_ key: CacheKey, _ line: Line, of scope: CacheChange, _ outcome: StoreChange.Outcome) {
        // The entry that a tagged one was to replace may have no tag, so the sweep does not remove it.
        if scope.isTag, line.waiting != nil { remove(key, insteadWith: outcome) } else { drop(key, line, outcome) }
    }

    /// Returns a removal in place of an edit whose response a sweep removes before it is stored: the entry that it would have
    /// replaced goes with it. Returns any other edit as it is.
    private mutating func removal(insteadOf edit: StoreChange) -> StoreChange {
        if edit.isWanted { return edit }
        effects.reports.append((edit.report, .unchanged))
        effects.done.append(edit)
        return StoreChange(.edit { $0 == nil ? .keep : .remove })
    }

    /// Retries the failed sweeps whose scopes match a condition.
    mutating func retry(_ isConcerned: (CacheChange) -> Bool) {
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

extension CacheChange {
    var tag: String? {
        if case .tag(let tag) = self { tag } else { nil }
    }

    var isTag: Bool { tag != nil }

    /// Returns whether the removal of this could remove an entry that is about to be stored.
    ///
    /// - Parameters:
    ///   - key: The key of the entry; nil if it is not known.
    ///   - tags: The tags that the entry may have.
    func mayConcern(_ key: CacheKey?, tags: Set<String>) -> Bool {
        key == nil && !isTag || concerns(key ?? "", tags: tags)
    }
}
