import TangoCache

/// The check of a store of your own against the contract of `CacheStore`.
///
/// ```swift
/// try await CacheStoreConformance.check { try MyStore() }
/// ```
///
/// It works with any test library. The error lists the rules that the store breaks, in plain sentences.
public enum CacheStoreConformance {
    /// Checks every rule of the contract, and throws one ``Report`` about all rules that the store breaks.
    ///
    /// Each rule has a store of its own. The stores may share what is behind them, such as a folder or a server: each is
    /// emptied before it is used, and the last one afterwards. **So never check a store whose entries matter.**
    ///
    /// The bodies reach 3 MB, and there are up to 300 entries at once: a store with limits must be made with limits that
    /// leave room for them.
    ///
    /// - Parameter make: Makes a store. An error that it throws ends the check and is thrown as it is.
    public static func check<Store: CacheStore>(_ make: @Sendable () async throws -> Store) async throws {
        var violations: [Report.Violation] = []
        for rule in Rule.all {
            try Task.checkCancellation()
            let trial = Trial(store: try await make())
            do {
                try await trial.store.removeAll()
                try await rule.check(trial)
            } catch let mismatch as Mismatch {
                violations.append(.init(rule: rule.sentence, expected: mismatch.expected, got: mismatch.got))
            } catch {
                violations.append(.init(rule: rule.sentence, expected: "no error", got: "the error \(error)"))
            }
        }
        guard violations.isEmpty else {
            try? await make().removeAll()
            throw Report(violations: violations, held: Rule.all.count - violations.count)
        }
        try await make().removeAll()
    }
}
