extension Promise {
    /// Returns a reader of one element: the value. It throws the error of a rejection.
    func reader() -> Delivery<Value>.Reader {
        var isRead = false
        return {
            if replace(&isRead, with: true) { return nil }
            return try await self.value
        }
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Returns a reader of the elements. Each reader begins an iteration of its own.
    func reader() -> Delivery<Element>.Reader {
        var iterator = makeAsyncIterator()
        return { try await iterator.next() }
    }
}
