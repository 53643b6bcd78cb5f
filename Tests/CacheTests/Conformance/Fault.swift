import CacheConformance
import TangoCache
import Testing

/// A store that is broken on purpose, and the rules that the check must find it to break.
struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let rules: [String]
    let check: @Sendable () async throws -> Void

    init<Store: CacheStore>(_ name: String, breaks rules: String..., make: @escaping @Sendable () -> Store) {
        self.init(name, breaks: rules, make: make)
    }

    init<Store: CacheStore>(_ name: String, breaks rules: [String], make: @escaping @Sendable () -> Store) {
        self.name = name
        self.rules = rules
        check = { try await CacheStoreConformance.check { make() } }
    }

    var testDescription: String { name }

    static let all: [Fault] =
        values + names + reads + writes + removals + lists + streams + tasks + overlaps + histories
}
