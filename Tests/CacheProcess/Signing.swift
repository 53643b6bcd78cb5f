import Foundation
import TangoCache

/// Stores the version in a file again and again, as a process does whose responses are on their way. It runs
/// until it is killed, or until the process that started it has ended.
struct Signing {
    private let folder: URL
    private let origin: URL
    private let parent = getppid()

    init(_ folder: URL, _ arguments: [String]) {
        self.folder = folder
        origin = URL(fileURLWithPath: arguments.first ?? "")
    }

    func run() async throws {
        let store = try DiskStore(directory: folder, onEvent: { _ in })
        Journal.say("ready")
        await withTaskGroup { group in
            for _ in 0..<2 { group.addTask { await keepStoring(in: store) } }
        }
    }

    private func keepStoring(in store: DiskStore) async {
        var turn = 0
        while getppid() == parent {
            turn += 1
            do {
                guard let moment = try await store.moment() else { continue }
                let version = String(decoding: try Data(contentsOf: origin), as: UTF8.self)
                for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
                let filler = turn % 4 == 0 ? Data(count: 20_000) : Data()
                let entry = CacheEntry(body: filler, metadata: ["version": version], tags: ["user"])
                _ = try await store.set(entry, for: "user/1", unlessRemovedSince: moment)
            } catch {
                Journal.say("! \(error)")
            }
        }
    }
}
