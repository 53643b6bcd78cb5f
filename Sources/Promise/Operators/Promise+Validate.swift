extension Promise {
    /// Passes on a value that `isValid` accepts, and rejects with ``PromiseError/invalid`` otherwise.
    ///
    /// ```swift
    /// let adult = loadUser(1).validate { $0.age >= 18 }
    /// ```
    ///
    /// To reject with an error of your own, throw it from `isValid`.
    @inlinable
    @discardableResult
    public func validate(_ isValid: @escaping @Sendable (Value) throws -> Bool) -> Promise {
        link(.values) { link, source in
            guard try isValid(source.loadSlot()) else { throw PromiseError.invalid }
            link.takeOver(source)
        }
    }
}
