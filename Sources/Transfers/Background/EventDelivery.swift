/// The handlers that run when the system has delivered all events for which it has launched an application. Each runs
/// once.
///
/// The system delivers events as soon as the session exists, so they may end before the application passes its handler.
struct EventDelivery {
    /// A handler of the application, which belongs to the main actor.
    struct Handler: Sendable {
        let run: @MainActor @Sendable () -> Void
    }

    private var waiting: [Handler] = []
    private var isDelivered = false

    /// Returns the handlers to run.
    mutating func deliveredAll() -> [Handler] {
        isDelivered = waiting.isEmpty
        defer { waiting = [] }
        return waiting
    }

    /// Returns the handlers to run.
    mutating func add(_ handler: Handler) -> [Handler] {
        guard !isDelivered else {
            isDelivered = false
            return [handler]
        }
        waiting.append(handler)
        return []
    }
}
