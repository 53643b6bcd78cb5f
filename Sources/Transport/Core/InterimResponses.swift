/// The limits of the interim responses, 1xx, to one request: a pure value.
///
/// A server may send any number of them before its final response, and each one extends the wait.
package struct InterimResponses: Equatable, Sendable {
    package enum Step: Hashable, Sendable {
        /// Reports the interim response to the observer.
        case report
        /// Drops it: the observer has got enough, or there is none.
        case skip
        /// Fails the request.
        case refuse
    }

    /// The highest number of interim responses that an observer gets.
    static let highestCount = 100
    /// The highest length in bytes of all interim responses together.
    package static let highestLength = 512 << 10

    private(set) var count = 0
    private(set) var length = 0

    package init(count: Int = 0, length: Int = 0) {
        self.count = count
        self.length = length
    }

    /// Adds an interim response with a number of bytes.
    package mutating func add(length added: Int, isObserved: Bool) -> Step {
        count += 1
        length += added
        guard length <= Self.highestLength else { return .refuse }
        return isObserved && count <= Self.highestCount ? .report : .skip
    }
}
