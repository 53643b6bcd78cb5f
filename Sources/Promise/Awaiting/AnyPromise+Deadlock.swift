extension AnyPromise {
    /// A Boolean value that indicates whether this promise needs the current thread to settle.
    final var needsThisThread: Bool {
        let isMain = Scheduler.isOnMainQueue
        let place = Drain.current?.pointee.place
        guard isMain || place != nil else { return false }
        return search(.up) { $0.needsTurn(at: place, isMain: isMain) } ?? false
    }

    /// Returns whether a handler on this scheduler still has to run, or is running.
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
}
