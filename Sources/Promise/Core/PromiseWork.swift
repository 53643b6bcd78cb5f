/// Work that settles a promise, and that errors can name, such as a call.
package protocol PromiseWork: AnyObject, Sendable {
    /// The name of the work in errors, without secrets.
    var workName: String { get }

    /// Ends the work, because no consumer of its promise is left.
    func consumersLeft()
}

extension AnyPromise {
    /// The work that the promise waits for, directly or through others. Of very many promises, the nearest are searched.
    final var awaitedWork: [any PromiseWork] {
        var found: [any PromiseWork] = []
        _ = search(.up, limit: 10_000) { promise in
            if let work = promise.work { found.append(work) }
            return false
        }
        return found
    }

    /// A Boolean value that indicates whether work settles the promise itself.
    final var awaitsWork: Bool { work != nil }

    private var work: (any PromiseWork)? {
        locked { phase == .open ? loadSlot(as: Producer.self).work : nil }
    }
}
