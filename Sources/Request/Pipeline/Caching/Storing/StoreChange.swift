/// A change of the entry under a key.
struct StoreChange: Sendable {
    /// An entry that is nil stands for the removal of the present one.
    enum Kind: Sendable {
        case set(CacheEntry?)
        /// Computes the new entry from the present one. The queue is locked meanwhile, so the function runs no code of
        /// the user.
        case edit(@Sendable (CacheEntry?) -> Edit)

        static let remove = Kind.set(nil)
    }

    enum Edit: Sendable {
        case keep
        case set(CacheEntry?)

        static let remove = Edit.set(nil)
    }

    enum Outcome: Sendable {
        /// The store has the result of the change.
        case done
        /// There was nothing to change, or another change has replaced this one.
        case unchanged
        case failed(any Error)

        var error: (any Error)? {
            if case .failed(let error) = self { error } else { nil }
        }
    }

    typealias Report = @Sendable (Outcome) -> Void

    var kind: Kind
    /// The condition under which the change is wanted; nil if it always is.
    var condition: ChangeLog.Guard?
    var report: Report

    @inline(never)
    init(_ kind: Kind, if condition: ChangeLog.Guard? = nil, report: @escaping Report = { _ in }) {
        self.kind = kind
        self.condition = condition
        self.report = report
    }

    /// The moment since which the response must not be removed; nil if the change has none.
    var moment: StoreMoment? { condition?.moment }

    var hasMoment: Bool { moment?.moment != nil }

    var isWanted: Bool { condition?.holds ?? true }

    /// A Boolean value that indicates whether the result does not depend on the present entry.
    var isBlind: Bool {
        if case .edit = kind { false } else { true }
    }

    /// The prefixes of all keys of this library.
    static let prefixes: [CacheKey] = ["http ", "anyone ", "user="]

    /// Returns the bytes that count for an entry while it waits in memory to be written.
    static func cost(_ entry: CacheEntry) -> Int {
        guard let responses = entry.object as? StoredResponses else { return 512 + entry.body.count }
        return cost(responses.all)
    }

    static func cost(_ responses: [StoredResponse]) -> Int {
        responses.reduce(512) { $0 + 1024 + $1.content.bytesHere }
    }
}
