/// What becomes of a call while another of its kind is under way.
///
/// ```swift
/// final class SaveDraft: Request<Void> {
///     override var endpoint: Endpoint { .put("/draft") }
///     override var uniqueness: Uniqueness { .replace }
/// }
/// ```
///
/// Calls of one client are of a kind for ``reject`` and ``replace`` if they have the same ``Request/identifier``, or without one
/// the same method and URL. They are for ``join`` if they would send the same, to the last header and byte.
public struct Uniqueness: Hashable, Sendable {
    private enum Rule: Hashable, Sendable {
        case allow, join, reject, replace
    }

    private let rule: Rule

    /// Each call goes its own way. The default.
    public static let allow = Uniqueness(rule: .allow)

    /// The calls share one transfer, and those of one request type the value that is made of it: a type whose requests make
    /// different things of one response has ``Serializer/json(at:decoder:)`` and its kind do so, or goes without.
    ///
    /// Interceptors see one call for all of them, without the ``AnyCall/userInfo`` of any.
    ///
    /// A call that is cancelled, or has waited too long, leaves the others alone; the last one to leave ends the transfer.
    /// Only calls join that change nothing, `GET`, `HEAD` and `OPTIONS`, and whose bodies are known: others go alone.
    public static let join = Uniqueness(rule: .join)

    /// The newcomer fails at once with ``RequestError/Code/duplicate``: for a button that is tapped twice.
    public static let reject = Uniqueness(rule: .reject)

    /// The one under way fails with ``RequestError/Code/duplicate``: for a search while one types.
    public static let replace = Uniqueness(rule: .replace)

    /// Whether there may be one at a time.
    var isExclusive: Bool { self == .reject || self == .replace }
}
