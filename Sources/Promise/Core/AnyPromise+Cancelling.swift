extension AnyPromise {
    /// Rejects the promise with `CancellationError` if it has not settled, at once and with all that follow from it.
    ///
    /// The promise also leaves its source. A source that every consumer has left in this way is cancelled too, up to the
    /// first one that somebody else still waits for; there, ``Resolver/onCancel(_:)`` tells the producer to stop. Handlers
    /// that would have run do not, except those of `finally`.
    ///
    /// Safe from any thread, any number of times.
    public final func cancel() {
        abort(with: nil)
    }

    /// Rejects with `error` (or as cancelled) without waiting for the source any longer.
    final func abort(with error: (any Error)?) {
        guard let source = settleEarly(with: error) else { return }
        leave(source)
        if traits.contains(.watcher) { told(of: self) }
    }

    /// Rejects a promise that waits for itself, without leaving its source, which will hear of it.
    final func breakCycle() {
        _ = settleEarly(with: PromiseError.cycle)
    }

    /// Stops being a consumer of `source`; where nobody is left, the source is cancelled and leaves its own in turn.
    final func leave(_ source: AnyPromise) {
        var consumer = self
        var source = source
        while source.loses(consumer) {
            guard let next = source.settleEarly(with: nil) else { return }
            (consumer, source) = (source, next)
        }
    }

    /// Removes a consumer; true if that leaves a pending promise with none.
    private func loses(_ consumer: AnyPromise) -> Bool {
        let (removed, isDeserted) = locked {
            let removed = consumers.remove(consumer)
            return (removed, !phase.isSettled && consumers.isEmpty)
        }
        removed?.release()
        return isDeserted
    }

    /// Stops being a consumer of `source` without a word: the source goes on even if nobody is left.
    final func detach(from source: AnyPromise) {
        let removed = source.locked { source.consumers.remove(self) }
        removed?.release()
    }

    /// Settles a promise from outside; returns the source that it was waiting for.
    private func settleEarly(with error: (any Error)?) -> AnyPromise? {
        var producer: Producer?
        var wait: Wait?
        Drain.handingOver { drain in
            locked {
                switch phase {
                case .open:
                    producer = slot.take()
                    if let gathering = producer?.gathering { drain.pointee.desert(gathering) }
                case .waiting: wait = slot.take()
                case .running where error == nil: break
                default: return
                }
                if let error { slot.place(error: error) }
                if error == nil, traits.contains(.cleanup), let handler = wait?.handler {
                    consumers.prepend(Unmanaged.passRetained(cleanup(handler)))
                }
                settle(as: error == nil ? .cancelled : .rejected, in: drain)
            }
        }
        for handler in producer?.onCancel ?? [] { handler() }
        return wait?.source
    }

    /// The handler of a `finally` that was cancelled itself, as a consumer of that cancellation.
    private func cleanup(_ handler: @escaping Handler) -> AnyPromise {
        AnyPromise(after: self, on: scheduler, traits.union(.everything), handler)
    }
}
