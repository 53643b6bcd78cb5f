extension Promise {
    /// Takes the first value: fulfilled by the first promise that is, or rejected with an ``AggregateError`` if none is.
    ///
    /// ```swift
    /// let image = Promise.any([load(from: mirror), load(from: origin)])
    /// ```
    ///
    /// The others are then left, and cancelled where nobody else waits for them.
    @inlinable
    @discardableResult
    public static func any(_ promises: some Sequence<Promise<Value>>) -> Promise {
        gather(Array(promises), until: .firstFulfilled, cancelsLosers: true) { inputs in
            throw AggregateError(errors: inputs.map(\.error))
        }
    }

    /// Takes the first value of the promises given.
    @inlinable
    @discardableResult
    public static func any(_ promises: Promise<Value>...) -> Promise {
        any(promises)
    }
}
