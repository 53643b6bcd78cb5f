extension AnyCall {
    /// A body whose bytes a `Progress` counts.
    public enum CountedBody: Hashable, Sendable, CaseIterable {
        /// The body of the request.
        case upload
        /// The body of the response.
        case download
    }

    /// Returns a `Progress` that counts the bytes of a body of this call, for views and for parents.
    ///
    /// ```swift
    /// let call = GetFilm().start()
    /// let progress = call.makeProgress(of: .download)
    /// ```
    ///
    /// Cancelling it, or its parent, cancels the call. It is indeterminate while the size of the body is unknown. It finishes when
    /// the call succeeds. When the call fails, it stays where it is, and its parent counts it as finished once it is released.
    /// When the call is cancelled, so is the `Progress`.
    ///
    /// Each call returns another `Progress`. To show both bodies as one, add both to a parent. It changes on a thread in the
    /// background, as `Progress` allows, and it does not retain the call.
    public func makeProgress(of body: CountedBody) -> Progress {
        let progress = Progress(totalUnitCount: -1)
        progress.kind = .file
        progress.cancellationHandler = { [weak self] in self?.cancel() }
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
        if totalUnitCount != count.total { totalUnitCount = count.total }
        if completedUnitCount != count.completed { completedUnitCount = count.completed }
    }
}
