import Synchronization

extension AnyCall {
    /// A body whose bytes a `Progress` counts.
    public enum CountedBody: Hashable, Sendable, CaseIterable {
        /// The body of the request.
        case upload
        /// The body of the response.
        case download
    }

    /// Returns a `Progress` that counts the bytes of a body of this call, for views.
    ///
    /// ```swift
    /// let call = GetFilm().start()
    /// let progress = call.makeProgress(of: .download)
    /// ```
    ///
    /// Cancelling it cancels the call. It is indeterminate while the size of the body is unknown. It finishes when the call
    /// succeeds. When the call fails, it stays where it is. When the call is cancelled, so is the `Progress`.
    ///
    /// Each call returns another `Progress`. It changes on a thread in the background, as `Progress` allows, and it does not retain
    /// the call.
    public func makeProgress(of body: CountedBody) -> Progress {
        counting(body, with: Progress.discreteProgress(totalUnitCount: -1))
    }

    /// Returns a `Progress` that counts the bytes of a body of this call, and is a child of another one.
    ///
    /// ```swift
    /// let progress = call.makeProgress(of: .download, parent: parent, pendingUnitCount: 1)
    /// ```
    ///
    /// Cancelling the parent cancels the call. When the call fails, the parent counts the child as finished once it is released. On
    /// Linux, a parent retains its children, so it never does.
    ///
    /// On Linux, use this instead of `addChild`: a `Progress` has no lock there, so a change that a call reports meanwhile would be
    /// lost in the parent.
    @discardableResult
    public func makeProgress(of body: CountedBody, parent: Progress, pendingUnitCount: Int64) -> Progress {
        let progress = Progress.discreteProgress(totalUnitCount: -1)
        ProgressTrees.change { parent.addChild(progress, withPendingUnitCount: pendingUnitCount) }
        return counting(body, with: progress)
    }

    private func counting(_ body: CountedBody, with progress: Progress) -> Progress {
        progress.kind = .file
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        // Its parent may have been cancelled.
        if progress.isCancelled { cancel() }
        // The run, not the handle, whose release cancels an unmanaged call.
        let (changes, core) = (self.progress, core)
        Task {
            var last = CallProgress()
            for await change in changes {
                last = change
                progress.show(ByteCount(of: body, change))
            }
            switch core.phase {
            case .finished(.success): progress.show(ByteCount(of: body, finished: last))
            case .finished(.cancelled): progress.cancel()
            default: break
            }
        }
        return progress
    }
}

/// The changes of all parents and children.
private enum ProgressTrees {
    #if canImport(Darwin)
        /// Makes a change. `Progress` has a lock of its own, and observers of the change may make others.
        static func change(_ body: () -> Void) { body() }
    #else
        private static let lock = Mutex(())

        /// Makes a change when those of other threads have been made. `Progress` has no lock on Linux.
        static func change(_ body: () -> Void) { lock.withLock { _ in body() } }
    #endif
}

/// The numbers of a `Progress`.
struct ByteCount: Equatable {
    let completed: Int64
    /// The number of all bytes; negative if it is unknown.
    let total: Int64

    /// Creates the numbers of a call in flight. They are never those of a finished `Progress`: the call may fail, or send its
    /// request again.
    init(of body: AnyCall.CountedBody, _ progress: CallProgress) {
        let (count, known) = Self.numbers(of: body, progress)
        guard let known, known > 0 else {
            (completed, total) = (Int64(count), -1)
            return
        }
        (completed, total) = (Int64(min(count, known - 1)), Int64(known))
    }

    /// Creates the numbers of a call that has succeeded. An empty body counts as one unit, because a `Progress` of none never
    /// finishes.
    init(of body: AnyCall.CountedBody, finished progress: CallProgress) {
        let (count, known) = Self.numbers(of: body, progress)
        total = Int64(max(count, known ?? 0, 1))
        completed = total
    }

    private static func numbers(of body: AnyCall.CountedBody, _ progress: CallProgress) -> (count: Int, total: Int?) {
        switch body {
        case .upload: (progress.sent, progress.sentTotal)
        case .download: (progress.received, progress.receivedTotal)
        }
    }
}

extension Progress {
    fileprivate func show(_ count: ByteCount) {
        ProgressTrees.change {
            // An attempt may have a smaller body than the one before. A total below the count would finish the Progress.
            if count.completed < completedUnitCount { completedUnitCount = count.completed }
            if totalUnitCount != count.total { totalUnitCount = count.total }
            if completedUnitCount != count.completed { completedUnitCount = count.completed }
        }
    }
}
