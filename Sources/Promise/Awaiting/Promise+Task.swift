extension Promise {
    /// Creates a promise that settles with the result of a task. Cancelling the promise cancels the task.
    ///
    /// ```swift
    /// let user = Promise { try await api.user(1) }
    /// ```
    ///
    /// Pass the closure as a trailing closure or with its label: `Promise(task: load)`.
    public convenience init(
        on scheduler: Scheduler = .background, priority: TaskPriority? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        task work: @escaping @Sendable () async throws -> Value
    ) {
        self.init(on: scheduler, at: CreationSite(file: file, line: line))
        run(priority: priority, work) { $0.fulfillOpen($1) }
    }

    /// Creates a promise that settles with the result of a task whose closure does not await.
    ///
    /// ```swift
    /// let letters = Promise { "word".count }
    /// ```
    public convenience init(
        on scheduler: Scheduler = .background, priority: TaskPriority? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        task work: @escaping @Sendable () throws -> Value
    ) {
        self.init(on: scheduler, at: CreationSite(file: file, line: line))
        run(priority: priority, work) { $0.fulfillOpen($1) }
    }
}
