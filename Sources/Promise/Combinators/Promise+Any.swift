extension Promise {
    /// Waits for the first value. Rejects with an ``AggregateError`` if all promises fail.
    ///
    /// ```swift
    /// let image = Promise.any([load(from: mirror), load(from: origin)])
    /// ```
    ///
    /// The returned promise then leaves the others. Each is cancelled unless another consumer waits for it.
    @inlinable
    @discardableResult
    public static func any(_ promises: [Promise<Value>]) -> Promise {
        gather(promises, until: .firstFulfilled, cancelsLosers: true) { inputs in
            throw AggregateError(errors: inputs.map(\.error))
        }
    }

    /// Waits for the first value of the promises of a sequence.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public static func any(_ promises: some Sequence<Promise<Value>>) -> Promise {
        any(Array(promises))
    }

    /// Waits for the first value of two or more promises.
    @inlinable
    @discardableResult
    public static func any(_ first: Promise<Value>, _ second: Promise<Value>, _ others: Promise<Value>...) -> Promise {
        any([first, second] + others)
    }
}
