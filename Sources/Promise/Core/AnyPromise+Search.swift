/// The two ways to go from a promise.
enum SearchDirection {
    /// To the promises that it waits for.
    case up
    /// To the promises that wait for it.
    case down
}

extension AnyPromise {
    /// Whether this promise waits for `follower`, which has just begun to wait for it: together they are a cycle.
    ///
    /// A cycle can be found from both ends, going up from this promise or down from the follower. Either way may lead to
    /// very many promises, for example through an `all`. So both are tried in turn, with a limit that doubles, and the
    /// search costs what the shorter way costs.
    final func waits(for follower: AnyPromise) -> Bool {
        // Usually the producer is a few links away, and nothing has to be allocated.
        var promise = self
        for _ in 0..<16 {
            if promise === follower { return true }
            let (source, gathering) = promise.awaited()
            if gathering != nil { break }
            guard let source else { return false }
            promise = source
        }
        var limit = 64
        while true {
            if let isFound = search(.up, limit: limit, where: { $0 === follower }) { return isFound }
            if let isFound = follower.search(.down, limit: limit, where: { $0 === self }) { return isFound }
            limit = limit > .max / 2 ? .max : 2 * limit
        }
    }

    /// Visits this promise and all in one direction from it, each once. True if `condition` holds for one of them, false
    /// if it holds for none, nil if there are more than `limit`.
    final func search(
        _ direction: SearchDirection, limit: Int = .max, where condition: (AnyPromise) -> Bool
    ) -> Bool? {
        // Those visited are held until the end, so that no other promise can have the same address.
        var visited: [AnyPromise] = [self]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var index = 0
        while index < visited.count {
            let promise = visited[index]
            if condition(promise) { return true }
            index += 1
            let room = limit - visited.count
            guard let neighbours = direction == .up ? promise.sources(room) : promise.dependents(room) else { return nil }
            for neighbour in neighbours where seen.insert(ObjectIdentifier(neighbour)).inserted {
                visited.append(neighbour)
            }
        }
        return false
    }

    /// The promises that this one waits for; nil if there are more than `limit`.
    private func sources(_ limit: Int) -> [AnyPromise]? {
        let (source, gathering) = awaited()
        let sources = gathering?.consumers ?? (source.map { [$0] } ?? [])
        return sources.count > limit ? nil : sources
    }

    /// The promises that wait for this one; nil if it has more than `limit` consumers.
    private func dependents(_ limit: Int) -> [AnyPromise]? {
        // A watcher stands for the output of its combinator, which it knows until it is told: so ask under the lock.
        let found = locked { () -> (links: [AnyPromise], gatherings: [Gathering])? in
            var links: [AnyPromise] = []
            var gatherings: [Gathering] = []
            guard !phase.isSettled else { return (links, gatherings) }
            let isComplete = consumers.visit(atMost: limit) { consumer in
                if !consumer.traits.contains(.watcher) {
                    links.append(consumer)
                } else if let gathering = consumer.gathering {
                    gatherings.append(gathering)
                }
            }
            return isComplete ? (links, gatherings) : nil
        }
        return found.map { found in found.links + found.gatherings.compactMap(\.output) }
    }

    /// What an undecided promise waits for: its source, or the inputs of a combinator.
    private func awaited() -> (source: AnyPromise?, gathering: Gathering?) {
        locked {
            switch phase {
            case .waiting: (loadSlot(as: Wait.self).source, nil)
            case .open: (nil, loadSlot(as: Producer.self).gathering)
            default: (nil, nil)
            }
        }
    }
}
