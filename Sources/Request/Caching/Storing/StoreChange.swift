import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A change of what a store has under a key.
struct StoreChange: Sendable {
    enum Kind: Sendable {
        case set(CacheEntry)
        case remove
        /// What is to be there follows from what is there. The function may be called more than once.
        case edit(@Sendable (CacheEntry?) -> Edit)
    }

    enum Edit: Sendable {
        case keep
        case set(CacheEntry)
        case remove
    }

    enum Outcome: Sendable {
        /// The store has what the change comes to.
        case done
        /// There was nothing to be done, or something else has taken its place.
        case unchanged
        case failed(any Error)

        var error: (any Error)? {
            if case .failed(let error) = self { error } else { nil }
        }
    }

    typealias Report = @Sendable (Outcome) -> Void

    var kind: Kind
    /// Holds as long as the change is wanted.
    var condition: ChangeLog.Guard?
    var report: Report

    init(_ kind: Kind, if condition: ChangeLog.Guard? = nil, report: @escaping Report = { _ in }) {
        self.kind = kind
        self.condition = condition
        self.report = report
    }

    var isWanted: Bool { condition?.holds ?? true }

    /// Whether what it comes to does not depend on what is there.
    var isBlind: Bool {
        if case .edit = kind { false } else { true }
    }

    /// What the keys of this library begin with.
    static let prefixes: [CacheKey] = ["http ", "anyone ", "user="]

    /// The bytes that an entry keeps in memory while it waits to be written.
    static func cost(_ entry: CacheEntry) -> Int {
        guard let responses = entry.object as? StoredResponses else { return 512 + entry.body.count }
        return cost(responses.all)
    }

    static func cost(_ responses: [StoredResponse]) -> Int {
        responses.reduce(512) { $0 + 1024 + $1.content.bytesHere }
    }
}
