/// An observer of responses and ends that only notes them, and does its work later, such as a recorder. A call whose observers
/// are all of this kind calls them on its own thread, and is sent as if nothing observed it.
package protocol QuickObserver: CallObserver {
    /// Returns once all that was noted is done. The client is shut down.
    func finish() async
}

/// Passes the responses and the end of a call to observers that only note them.
final class QuickEvents: EventListener {
    private let observers: [any QuickObserver]

    init(_ observers: [any QuickObserver]) {
        self.observers = observers
    }

    let isQuick = true

    func attach(to core: CallCore) {}

    func notify(_ content: CallEvent.Content, of core: CallCore) {
        switch content.kind {
        case .response, .finished, .cache:
            let event = CallEvent(call: AnyCall(core), content)
            for observer in observers { observer.observe(event) }
        default: break
        }
    }

    func notifyFromTransport(_ content: CallEvent.Content) {}

    func afterEvents(_ work: @escaping @Sendable () -> Void) { work() }

    func willStore(_ entry: CacheEntry, of core: CallCore) -> CacheEntry? { entry }
}
