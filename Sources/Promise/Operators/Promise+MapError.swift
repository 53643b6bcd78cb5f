extension Promise {
    /// Turns an error into another one, for example to say what was being done. Cancellations pass by.
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
