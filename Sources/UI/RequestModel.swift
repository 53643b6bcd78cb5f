import Observation

/// The output of a request for a screen, with its error and whether it is loading. SwiftUI follows it.
///
/// ```swift
/// let profile = RequestModel { GetProfile() }
/// profile.refresh()
/// ```
///
/// Each refresh starts a call, as `values` of a request does: a cached output comes first, then the new one. A refresh
/// that fails keeps the value of the previous one. When the model is released, its call is cancelled. The model does not know users:
/// make another one after `signOut()`.
///
/// The closure that makes the request runs for each refresh, so it may read what the user has chosen since.
@MainActor
@Observable
public final class RequestModel<Output: Sendable> {
    /// The newest output; nil until the first one.
    public private(set) var value: Output?
    /// The error of the last refresh; nil after a success, and while the next one is loading.
    public private(set) var error: (any Error)?
    /// A Boolean value that indicates whether a call is in flight.
    public private(set) var isLoading = false

    private let make: @MainActor () -> Request<Output>
    @ObservationIgnored private var loading: Task<Void, Never>?
    /// The number of refreshes and cancellations, so that a call that was replaced changes nothing.
    @ObservationIgnored private var generation = 0

    /// Creates a model. Nothing is sent before the first refresh.
    ///
    /// - Parameter make: Creates the request of a refresh.
    public init(_ make: @escaping @MainActor () -> Request<Output>) {
        self.make = make
    }

    deinit {
        loading?.cancel()
    }

    /// Starts a call, cancels the one in flight, and returns at once.
    public func refresh() {
        _ = start()
    }

    /// Starts a call, cancels the one in flight, and returns when the new one has ended. A task that is cancelled cancels the
    /// call.
    ///
    /// ```swift
    /// await profile.load()
    /// ```
    ///
    /// Use it in `task` and `refreshable` of SwiftUI. It holds the model. If another refresh begins meanwhile, it returns before
    /// that one has ended.
    public func load() async {
        if Task.isCancelled { return }
        let loading = start()
        await withTaskCancellationHandler {
            await loading.value
        } onCancel: {
            loading.cancel()
        }
    }

    /// Cancels the call in flight. The value stays.
    public func cancel() {
        generation += 1
        loading?.cancel()
        loading = nil
        isLoading = false
    }

    private func start() -> Task<Void, Never> {
        generation += 1
        loading?.cancel()
        // Views follow each assignment.
        if !isLoading { isLoading = true }
        if error != nil { error = nil }
        let current = generation
        let values = make().values
        // The closure may have started a refresh itself, which is newer.
        if current != generation, let loading { return loading }
        let task = Task { [weak self] in
            do {
                try Task.checkCancellation()
                for try await value in values { self?.take(value, of: current) }
                self?.end(nil, of: current)
            } catch {
                self?.end(error, of: current)
            }
        }
        loading = task
        return task
    }

    private func take(_ value: Output, of generation: Int) {
        if generation == self.generation { self.value = value }
    }

    private func end(_ error: (any Error)?, of generation: Int) {
        guard generation == self.generation else { return }
        loading = nil
        isLoading = false
        if let error, !(error is CancellationError) { self.error = error }
    }
}
