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
        guard let caching = plan.caching else { return }
        set(
            await caching.store.shared.moment(
                for: knownKey(caching, try? plan.message()), tags: plan.tags.union([plan.identity.tag])))
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
