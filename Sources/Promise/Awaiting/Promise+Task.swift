extension Promise {
    /// A promise of what a task will return. Cancelling the promise cancels the task.
    ///
    /// ```swift
    /// let user = Promise { try await api.user(1) }
    /// ```
    ///
    /// Write the closure behind the call, or name it: `Promise(task: load)`.
    public convenience init(
        on scheduler: Scheduler = .background, priority: TaskPriority? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        task work: @escaping @Sendable () async throws -> Value
    ) {
        self.init(on: scheduler, at: CreationSite(file: file, line: line))
        run(priority: priority, work) { $0.fulfillOpen($1) }
    }

    /// A promise of what a task will return, for work that awaits nothing.
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
