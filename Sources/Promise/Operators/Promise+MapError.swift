extension Promise {
    /// Replaces an error by another, for example to add context. Cancellations pass unchanged.
    ///
    /// ```swift
    /// let settings = readFile("settings.json").mapError { SettingsError(cause: $0) }
    /// ```
    @inlinable
    @discardableResult
    public func mapError(_ body: @escaping @Sendable (any Error) throws -> any Error) -> Promise {
        link(.errors) { link, source in link.reject(try body(source.error)) }
    }
}
