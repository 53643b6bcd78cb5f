extension AnyPromise {
    /// Attaches a link made for this promise.
    @usableFromInline
    final func add(_ consumer: AnyPromise) {
        let node = Unmanaged.passRetained(consumer)
        let isPending = locked {
            marks.insert(.observed)
            if phase.isSettled { return false }
            consumers.append(node)
            return true
        }
        if isPending { return }
        Drain.handingOver { drain in
            locked { drain.pointee.accept(node, of: self, isLate: true) }
        }
    }

    /// Attaches a link that others may cancel meanwhile.
    final func attach(_ consumer: AnyPromise) {
        add(consumer)
        // A cancellation that came in between has left before we came.
        if consumer.locked({ consumer.phase == .cancelled }) { consumer.leave(self) }
    }

    /// A link's turn: its source has settled.
    final func advance() {
        let wait = locked { () -> Wait? in
            guard phase == .waiting else { return nil }
            phase = .running
            return slot.take(as: Wait.self)
        }
        guard let wait else { return }
        if let handler = wait.handler, traits.want(wait.source.phase) {
            do {
                try handler(self, wait.source)
            } catch {
                reject(error)
            }
        } else {
            takeOver(wait.source)
        }
    }

    // MARK: Settling, by the one who runs the promise

    @inlinable
    final func fulfill<Value>(_ value: consuming Value) {
        slot.store(value)
        if !finish(.fulfilled, isPlain: _isPOD(Value.self) && Slot.fits(Value.self)) {
            _ = slot.take(as: Value.self)
        }
    }

    @usableFromInline
    final func reject(_ error: any Error) {
        if error is CancellationError {
            finish(.cancelled)
        } else {
            reject(error, isHandled: false)
        }
    }

    final func reject(_ error: any Error, isHandled: Bool) {
        slot.place(error: error)
        if !finish(.rejected, isHandled: isHandled) {
            _ = slot.take(as: (any Error).self)
        }
    }

    /// Settles like `source`, which has settled and has the same type.
    @usableFromInline
    final func takeOver(_ source: AnyPromise, isHandled: Bool = false) {
        switch source.phase {
        case .fulfilled:
            copyValue(of: source)
            if !finish(.fulfilled, isPlain: source.outcome.contains(.plain)) { destroyValue() }
        case .rejected:
            reject(source.error, isHandled: isHandled || source.outcome.contains(.handled))
        default:
            finish(.cancelled)
        }
    }

    /// Makes the outcome in the slot the promise's own. False if the promise was cancelled meanwhile.
    @usableFromInline
    @discardableResult
    final func finish(_ phase: Phase, isPlain: Bool = false, isHandled: Bool = false) -> Bool {
        Drain.handingOver { drain in
            locked {
                guard self.phase == .running else { return false }
                outcome = isPlain ? .plain : isHandled ? .handled : []
                settle(as: phase, in: drain)
                return true
            }
        }
    }

    /// The moment of settling. The promise is locked.
    final func settle(as phase: Phase, in drain: UnsafeMutablePointer<Drain>) {
        self.phase = phase
        var waiting = consumers
        consumers = Consumers()
        while let node = waiting.popFirst() {
            drain.pointee.accept(node, of: self, isLate: false)
        }
    }
}
