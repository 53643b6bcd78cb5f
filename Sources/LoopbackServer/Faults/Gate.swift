/// An object that holds responses at a moment until a test opens it.
///
/// ```swift
/// let gate = Gate()
/// server.answer("/slow", with: .text("done").held(by: gate))
/// let response = Task { try await load(server.url("/slow")) }
/// try await gate.reached()
/// // The server has the request, and the client has no response yet. What does it show?
/// gate.open()
/// _ = try await response.value
/// ```
///
/// An open gate stays open and holds nothing.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var held: [@Sendable () -> Void] = []
    }

    private let state = Watched(State())

    /// Creates a closed gate.
    public init() {}

    /// A Boolean value that indicates whether the gate has been opened.
    public var isOpen: Bool { state.read { $0.isOpen } }

    /// The number of arrivals at the gate so far, held or not.
    public var arrivals: Int { state.read { $0.arrivals } }

    /// Releases everything that the gate holds. Later arrivals pass.
    public func open() {
        let held = state.change { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for release in held { release() }
    }

    /// Waits until the gate has had `count` arrivals.
    ///
    /// Throws `CancellationError` if the task is cancelled.
    public func reached(count: Int = 1) async throws {
        try await state.wait { $0.arrivals >= count ? () : nil }
    }

    /// Waits until the gate is open. An asynchronous handler that calls this is held.
    ///
    /// Throws `CancellationError` if the task is cancelled.
    public func opened() async throws {
        state.change { $0.arrivals += 1 }
        try await state.wait { $0.isOpen ? () : nil }
    }

    /// Runs a closure once the gate is open: at once, or on the thread that opens it.
    func pass(_ body: @escaping @Sendable () -> Void) {
        let isOpen = state.change { state in
            state.arrivals += 1
            if !state.isOpen { state.held.append(body) }
            return state.isOpen
        }
        if isOpen { body() }
    }
}
