/// The removal of many entries at once.
extension StoreQueue {
    /// Adds a sweep, and drops the pending changes of the entries that it removes.
    mutating func sweep(_ scope: Scope, _ report: @escaping StoreChange.Report) -> Effects {
        var effects = Effects()
        for (key, line) in lines {
            switch scope {
            case .tag where line.content == nil:
                // The entry that is being read may have the tag, so it is read again.
                let id = nextNumber()
                lines[key]?.id = id
                effects.steps.append(.load(key, line: id))
            case _ where scope.covers(key, line.content ?? nil): effects += drop(key, line)
            default: break
            }
        }
        // The number of the older sweep stays, because requests may wait for that one.
        if let place = sweeps.firstIndex(where: { $0.state == .waiting && $0.scope == scope }) {
            sweeps[place].reports.append(report)
        } else {
            sweeps.append(Sweep(number: nextNumber(), scope: scope, reports: [report]))
        }
        effects += startSweeps()
        return effects
    }

    mutating func drop(_ key: CacheKey, _ line: Line) -> Effects {
        var effects = Effects(
            reports: (line.edits.map(\.report) + line.reports).map { ($0, .unchanged) }, waiters: line.waiters)
        effects.released = [line.content ?? nil, line.stored]
        effects.waiters += takeWriteWaiters(key)
        bytes -= line.cost
        guard line.isRunning else {
            lines[key] = nil
            effects += advanced(from: line.first, to: nil)
            return effects
        }
        var rest = line
        rest.content = .some(nil)
        rest.since = nil
        rest.version = nextNumber()
        rest.isDirty = false
        rest.edits = []
        rest.reports = []
        rest.waiters = []
        rest.first = nil
        rest.cost = 0
        lines[key] = rest
        return effects
    }

    /// Starts all sweeps that wait, apart from those in whose scope a write or an equal sweep is running.
    mutating func startSweeps() -> Effects {
        var effects = Effects()
        for place in sweeps.indices where sweeps[place].state == .waiting {
            let scope = sweeps[place].scope
            let isBusy =
                sweeps.contains { $0.state == .running && $0.scope == scope }
                || lines.contains { key, line in line.isRunning && (scope.isTag || scope.covers(key, nil)) }
            guard !isBusy else { continue }
            sweeps[place].state = .running
            effects.steps.append(.sweep(sweeps[place].number, scope))
        }
        return effects
    }

    /// Records the end of a sweep.
    mutating func swept(_ number: Int, _ error: (any Error)?) -> Effects {
        guard let place = sweeps.firstIndex(where: { $0.number == number }) else { return Effects() }
        let sweep = sweeps[place]
        var effects = Effects(reports: sweep.reports.map { ($0, error.map(StoreChange.Outcome.failed) ?? .done) })
        if let error {
            sweeps[place].state = .failed
            sweeps[place].reports = []
            // A failed sweep is in the list once, however often it was retried.
            sweeps.removeAll { $0.number != number && !$0.isActive && $0.scope == sweep.scope }
            for (key, line) in lines where line.isDirty && !line.isRunning {
                guard sweep.scope.covers(key, line.content ?? nil) else { continue }
                effects += Effects(reports: line.reports.map { ($0, .failed(error)) })
                lines[key]?.reports = []
                effects += drop(key, lines[key] ?? line)
            }
            boundFailed()
        } else {
            sweeps.removeAll { $0.number == number || !$0.isActive && $0.scope == sweep.scope }
        }
        effects += advanced(from: number, to: nil)
        effects += startSweeps()
        effects.waiters += takeRemovalWaiters()
        for key in lines.filter({ $0.value.isDirty && !$0.value.isRunning }).keys { effects += start(key) }
        return effects
    }

    /// Retries the failed sweeps whose scopes match a condition.
    mutating func retry(_ isConcerned: (Scope) -> Bool) -> Effects {
        var isAny = false
        for place in sweeps.indices where !sweeps[place].isActive && isConcerned(sweeps[place].scope) {
            sweeps[place].state = .waiting
            sweeps[place].number = nextNumber()
            isAny = true
        }
        return isAny ? startSweeps() : Effects()
    }

    /// The highest number of failed sweeps that are remembered separately.
    static let failedLimit = 1024

    /// If more sweeps have failed, replaces them by the removal of all entries of this library. Entries whose removal
    /// failed are never served.
    mutating func boundFailed() {
        guard sweeps.count(where: { !$0.isActive }) > Self.failedLimit else { return }
        sweeps.removeAll { !$0.isActive }
        for prefix in StoreChange.prefixes {
            sweeps.append(Sweep(number: nextNumber(), scope: .prefix(prefix), state: .failed))
        }
    }
}
