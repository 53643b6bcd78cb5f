/// A moment in the history of removals of a store that several processes share.
///
/// ```swift
/// let moment = try await store.moment()
/// let response = try await load()
/// if let moment {
///     try await store.set(response, for: "user", unlessRemovedSince: moment)
/// }
/// ```
///
/// The store orders moments and removals, so the clocks of the processes do not matter.
public struct CacheMoment: Hashable, Sendable {
    /// The text by which the store recognises the moment. It has no meaning for others.
    public let text: String

    /// Creates a moment, for stores of your own.
    public init(_ text: String) {
        self.text = text
    }
}
