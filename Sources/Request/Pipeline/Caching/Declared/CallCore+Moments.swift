import TangoCache

/// The moment in the history of a shared store, which is taken before the request is sent.
extension CallCore {
    /// A Boolean value that indicates whether a moment is needed. It is not if the store has no history.
    ///
    /// The HTTP cache takes its moments itself.
    var needsMoment: Bool {
        guard let caching = plan.caching, caching.store.shared.hasHistory else { return false }
        return state.withLock { $0.caching?.moment } == nil
    }

    func takeMoment() async {
        guard let shared = plan.caching?.store.shared else { return }
        let key = state.withLock { $0.caching?.key }
        set(await shared.moment(for: key))
    }

    /// Takes over the moment of a shared transfer.
    func set(_ moment: StoreMoment) {
        state.withLock { state in
            let caching = state.caching ?? CachingState()
            caching.moment = moment
            state.caching = caching
        }
    }
}
