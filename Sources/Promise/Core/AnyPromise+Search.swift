/// A direction in which to search from a promise.
enum SearchDirection {
    /// Towards the promises that it waits for.
    case up
    /// Towards the promises that wait for it.
    case down
}

extension AnyPromise {
    /// Returns whether this promise waits for `follower`, which has just begun to wait for it. Together they are then a
    /// cycle.
    ///
    /// A cycle can be found from both ends: up from this promise or down from the follower. Either direction may lead
    /// to very many promises, for example through an `all`. So both are tried in turn, with a limit that doubles. The
    /// search costs what the shorter direction costs.
    final func waits(for follower: AnyPromise) -> Bool {
        // The producer is usually a few links away, which needs no allocation.
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

    /// Visits this promise and all in one direction from it, each once. Returns true if `condition` holds for one of
    /// them, false if it holds for none, and nil if there are more than `limit`.
    final func search(
        _ direction: SearchDirection, limit: Int = .max, where condition: (AnyPromise) -> Bool
    ) -> Bool? {
        // The visited promises are retained until the end, so that no other promise can get the same address.
        var visited: [AnyPromise] = [self]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var index = 0
        while index < visited.count {
            let promise = visited[index]
            if condition(promise) { return true }
            index += 1
            let room = limit - visited.count
            guard let neighbours = direction == .up ? promise.sources(room) : promise.dependents(room) else {
                return nil
            }
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
        // A watcher leads to the output of its combinator. It has the output only until it is notified, so read it
        // under the lock.
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

    /// The source of a pending promise, or the combinator that settles it.
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
