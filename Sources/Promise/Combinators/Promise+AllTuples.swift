extension Promise {
    /// Waits for promises of different types: fulfilled with a tuple of their values, or rejected with the first error.
    ///
    /// ```swift
    /// let line = Promise.all(loadUser(1), loadPosts()).map { user, posts in "\(user.name): \(posts.count) posts" }
    /// ```
    ///
    /// Accepts two or more promises.
    @inlinable
    @discardableResult
    public static func all<A, B>(
        _ a: Promise<A>, _ b: Promise<B>, losers: Losers = .keep
    ) -> Promise where Value == (A, B) {
        gather([a, b] as [AnyPromise], until: .firstRejected, cancelsLosers: losers == .cancel) { inputs in
            (inputs[0].loadSlot(), inputs[1].loadSlot())
        }
    }

    /// Waits for three promises.
    @inlinable
    @discardableResult
    public static func all<A, B, C>(
        _ a: Promise<A>, _ b: Promise<B>, _ c: Promise<C>, losers: Losers = .keep
    ) -> Promise where Value == (A, B, C) {
        gather([a, b, c] as [AnyPromise], until: .firstRejected, cancelsLosers: losers == .cancel) { inputs in
            (inputs[0].loadSlot(), inputs[1].loadSlot(), inputs[2].loadSlot())
        }
    }

    /// Waits for four promises.
    @inlinable
    @discardableResult
    public static func all<A, B, C, D>(
        _ a: Promise<A>, _ b: Promise<B>, _ c: Promise<C>, _ d: Promise<D>, losers: Losers = .keep
    ) -> Promise where Value == (A, B, C, D) {
        gather([a, b, c, d] as [AnyPromise], until: .firstRejected, cancelsLosers: losers == .cancel) { inputs in
            (inputs[0].loadSlot(), inputs[1].loadSlot(), inputs[2].loadSlot(), inputs[3].loadSlot())
        }
    }

    // The compiler (6.3) rejects a closure of one call, as in `Promise.all(a, b).next { print($0, $1) }`, right after a
    // parameter pack. So two, three and four promises have functions without a pack. The form with a pack takes five
    // promises or more, so that it is no candidate for fewer.

    /// Waits for five promises or more.
    @discardableResult
    public static func all<A, B, C, D, E, each More>(
        _ a: Promise<A>, _ b: Promise<B>, _ c: Promise<C>, _ d: Promise<D>, _ e: Promise<E>,
        _ more: repeat Promise<each More>, losers: Losers = .keep
    ) -> Promise where Value == (A, B, C, D, E, repeat each More) {
        var inputs: [AnyPromise] = [a, b, c, d, e]
        repeat inputs.append(each more)
        return gather(inputs, until: .firstRejected, cancelsLosers: losers == .cancel) { _ in
            (
                a.settledValue, b.settledValue, c.settledValue, d.settledValue, e.settledValue,
                repeat (each more).settledValue
            )
        }
    }

    /// The value. The promise must be fulfilled.
    var settledValue: Value { loadSlot() }
}
