import Synchronization
import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An open store for one command.
struct Session {
    let folder: String
    let store: any ToolStore
    let console: Console
    let reports: Reports

    /// Opens a store as a guest, works with it, and closes it.
    static func use(
        _ folder: String, _ console: Console, _ opener: some ToolOpener, repairs: Bool = false, reports: Reports? = nil,
        _ work: (Session) async throws -> ExitCode
    ) async throws -> ExitCode {
        let reports = reports ?? Reports(console, advice: opener.advice(for: folder))
        let store = try await opener.open(folder, repairs: repairs, onEvent: reports.note)
        let session = Session(folder: folder, store: store, console: console, reports: reports)
        do {
            let code = try await work(session)
            await store.close()
            return code
        } catch {
            await store.close()
            throw error
        }
    }

    /// Returns the entries for which a condition holds, in the order of the store.
    func items(where condition: (CacheItem) -> Bool) async throws -> [CacheItem] {
        var items: [CacheItem] = []
        for try await item in store.everything() where condition(item) { items.append(item) }
        return items
    }

    /// Prints a document.
    func print(_ members: [(name: String, value: JSON)]) throws {
        try console.print(JSON.object([("folder", .text(folder))] + members).document)
    }
}

/// The events of a store during a command.
final class Reports: Sendable {
    private struct State {
        var resets: [String] = []
        var damaged = 0
    }

    private let state = Mutex(State())
    private let console: Console
    private let advice: String

    /// - Parameter advice: The remedy for a damaged entry.
    init(_ console: Console, advice: String) {
        self.console = console
        self.advice = advice
    }

    /// The reasons for which databases were set aside.
    var resets: [String] { state.withLock { $0.resets } }

    /// A Boolean value that indicates whether a damaged entry was found.
    var hasDamage: Bool { state.withLock { $0.damaged > 0 } }

    func note(_ event: CacheEvent) {
        switch event {
        case .reset(let reason, _): state.withLock { $0.resets.append(reason) }
        case .damaged: state.withLock { $0.damaged += 1 }
        default: break
        }
        if let text = text(of: event) { console.complain(text) }
    }

    private func text(of event: CacheEvent) -> String? {
        switch event {
        case .damaged(let key?, let reason): "the entry \(key.shown) is damaged: \(reason). \(advice)"
        case .damaged(nil, let reason): "an entry is damaged: \(reason). \(advice)"
        case .evicted, .swept: nil
        default: event.description
        }
    }
}
