/// The scripts that run on the server. Each is atomic, and does a bounded amount of work.
///
/// **The index** is a sorted set with four kinds of members. `!` stands before the server's identity and the incarnation.
/// `!~` is there once an entry was pinned: then the index does not expire. `k` stands before the name of each key. `t` stands before the length of a tag, the tag and the name of a
/// key that has it. Each entry contains the incarnation of the index. If the index is evicted, or belongs to another
/// server process, a new incarnation begins, and all entries from before are invalid. So no entry is valid that a removal
/// by tag or by prefix would not find.
///
/// **The log** is a sorted set of what was removed, by time. `!` has the time from which it is complete.
enum Script: Int, CaseIterable, Sendable {
    case set, remove, removeRange, clear, discard, page, moment, unlock

    /// The shape of the reply.
    var shape: Reply.Shape {
        switch self {
        case .set, .remove, .unlock: .integer
        case .removeRange, .clear, .discard, .page: .array
        case .moment: .string
        }
    }

    var text: String {
        let body =
            switch self {
            case .set: ScriptText.set
            case .remove: ScriptText.remove
            case .removeRange: ScriptText.removeRange
            case .clear: ScriptText.clear
            case .discard: ScriptText.discard
            case .page: ScriptText.page
            case .moment: ScriptText.moment
            case .unlock: ScriptText.unlock
            }
        return self == .unlock ? body : ScriptText.common + body
    }
}
