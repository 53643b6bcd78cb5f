extension AnyPromise {
    /// Cancels the promise if it is pending: it and all promises that follow from it reject with `CancellationError` at
    /// once.
    ///
    /// The promise also leaves its source. A source is cancelled when its last consumer has left in this way, and so on
    /// up the chain. At the top, ``Resolver/onCancel(_:)`` tells the producer to stop. Pending handlers do not run,
    /// except those of `finally`.
    ///
    /// You can call this method from any thread, any number of times.
    public final func cancel() {
        abort(with: nil)
    }

    /// Rejects with `error`, or cancels if it is nil, and leaves the source.
    final func abort(with error: (any Error)?) {
        guard let source = settleEarly(with: error) else { return }
        leave(source)
        if traits.contains(.watcher) { sourceSettled(self) }
    }

    /// Rejects a promise that waits for itself. It does not leave its source, which receives the rejection.
    final func breakCycle() {
        _ = settleEarly(with: PromiseError.cycle)
    }

    /// Stops being a consumer of `source`. If that was the last consumer, the source is cancelled and leaves its own
    /// source.
    final func leave(_ source: AnyPromise) {
        var consumer = self
        var source = source
        while source.removeLast(consumer) {
            guard let next = source.settleEarly(with: nil) else { return }
            (consumer, source) = (source, next)
        }
    }

    /// Removes a consumer. Returns true if a pending promise has no consumer left.
    private func removeLast(_ consumer: AnyPromise) -> Bool {
        let (removed, isDeserted) = locked {
            let removed = consumers.remove(consumer)
            return (removed, !phase.isSettled && consumers.isEmpty)
        }
        removed?.release()
        return isDeserted
    }

    /// Stops being a consumer of `source`, which goes on even without a consumer.
    final func detach(from source: AnyPromise) {
        let removed = source.locked { source.consumers.remove(self) }
        removed?.release()
    }

    /// Settles a promise from outside. Returns the source that it was waiting for.
    private func settleEarly(with error: (any Error)?) -> AnyPromise? {
        var producer: Producer?
        var wait: Wait?
        Drain.handingOver { drain in
            locked {
                switch phase {
                case .open:
                    producer = slot.take()
                    if let gathering = producer?.gathering { drain.pointee.addCancelled(gathering) }
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
        producer?.runHandlers()
        return wait?.source
    }

    /// Creates the consumer that runs the handler of a cancelled `finally`.
    private func cleanup(_ handler: @escaping Handler) -> AnyPromise {
        AnyPromise(after: self, on: scheduler, traits.union(.everything), handler)
    }
}
