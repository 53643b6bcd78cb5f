extension AnyPromise {
    /// Whether `condition` holds for this promise or for any that must settle before it can.
    final func isUpstream(where condition: (AnyPromise) -> Bool) -> Bool {
        var branches: [AnyPromise] = []
        var seen: Set<ObjectIdentifier> = []
        var candidate: AnyPromise? = self
        while let promise = candidate {
            if condition(promise) { return true }
            let (source, gathering) = promise.awaited()
            if let gathering, seen.insert(ObjectIdentifier(gathering)).inserted {
                branches.append(contentsOf: gathering.consumers)
            }
            candidate = source ?? branches.popLast()
        }
        return false
    }

    /// Whether this promise needs the thread that asks, so that blocking it would block the promise.
    final var needsThisThread: Bool {
        let isMain = Scheduler.isOnMainQueue
        let place = Drain.current?.pointee.place
        guard isMain || place != nil else { return false }
        return isUpstream { $0.needsTurn(at: place, isMain: isMain) }
    }

    /// Whether a handler has yet to run, or is running, at this place.
    private func needsTurn(at place: Drain.Place?, isMain: Bool) -> Bool {
        let (hasHandler, source) = locked { () -> (Bool, AnyPromise?) in
            let hasHandler = !traits.isDisjoint(with: .everything) && !traits.contains(.inline)
            return switch phase {
            case .waiting: (hasHandler, loadSlot(as: Wait.self).source)
            case .running: (hasHandler, nil)
            default: (false, nil)
            }
        }
        guard hasHandler else { return false }
        return switch (scheduler.target, place) {
        case (.main, _): isMain
        case (.background, .background): true
        case (.lane(let lane), .lane(let here)): here.toOpaque() == Unmanaged.passUnretained(lane).toOpaque()
        case (.immediate, .some): source?.phase.isSettled ?? true
        default: false
        }
    }

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
