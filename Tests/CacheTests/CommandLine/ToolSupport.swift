import ChildProcesses
import Foundation
import Synchronization

@testable import CacheTool
@testable import TangoCache

/// The output of the tool and its exit code.
struct ToolResult {
    var code: ExitCode?
    var output: Data
    var errors: String

    var text: String { String(decoding: output, as: UTF8.self) }

    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// The JSON document in the output, as an object.
    var document: [String: Any] {
        get throws { try JSONSerialization.jsonObject(with: output) as? [String: Any] ?? [:] }
    }
}

extension Tool {
    /// Runs the tool inside the test.
    static func result(_ arguments: String..., isTerminal: Bool = false, now: Date = Date()) async -> ToolResult {
        await result(arguments, isTerminal: isTerminal, now: now)
    }

    static func result(_ arguments: [String], isTerminal: Bool = false, now: Date = Date()) async -> ToolResult {
        let output = Guarded(Data())
        let errors = Guarded("")
        let console = Console(
            write: { portion in output.change { $0 += portion } },
            complain: { text in errors.change { $0 += text + "\n" } }, isTerminal: isTerminal, now: { now })
        let code = await run(arguments, on: console)
        return ToolResult(code: code, output: output.value, errors: errors.value)
    }
}

/// A folder with a store that an application has filled and closed.
struct ToolFolder {
    let scratch = ScratchFolder()

    var path: String { scratch.path }

    var place: Place { Place(folder: path) }

    /// Fills the store. An entry named `large` has its body in a file.
    init(version: Int = 0, _ entries: [(key: CacheKey, entry: CacheEntry)] = Self.samples) async throws {
        let store = try open(version: version)
        try await store.setMany(entries)
        await store.close()
    }

    private static let largeBody = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    static var samples: [(key: CacheKey, entry: CacheEntry)] {
        [
            ("a", CacheEntry(body: Data("one".utf8), metadata: ["etag": "x"], tags: ["red", "blue"])),
            ("b/1", CacheEntry(body: Data(count: 2000), tags: ["blue"], pinned: true)),
            ("b/2", CacheEntry(body: Data(count: 100), written: Date(timeIntervalSinceNow: -7200))),
            ("large", CacheEntry(body: largeBody)),
        ]
    }

    func open(version: Int = 0) throws -> DiskStore {
        try DiskStore(directory: scratch.url, limits: .unlimited, version: version, onEvent: { _ in })
    }

    var keys: Set<String> {
        get async throws {
            let store = try open()
            var keys: Set<String> = []
            for try await item in store.entries() { keys.insert(item.key.description) }
            await store.close()
            return keys
        }
    }

    /// Makes the samples expire.
    func expire(_ keys: Set<CacheKey>, version: Int = 0) async throws {
        let store = try open(version: version)
        for (key, entry) in Self.samples where keys.contains(key) {
            var entry = entry
            entry.expires = Date(timeIntervalSince1970: 0)
            try await store.set(entry, for: key)
        }
        await store.close()
    }

    /// Changes the database without the store.
    func change(_ sql: String) throws {
        try Database(place.database, .reader, timeout: 10_000).execute(sql)
    }

    /// Overwrites the middle of a file with garbage.
    func damage(_ path: String, at offset: Int, count: Int = 64) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(repeating: 0xa5, count: count))
        try file.close()
    }

    var bodyFiles: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: place.bodies).map { place.bodies + "/" + $0 } }
    }
}

/// Runs the tool as a process, as users do.
enum ToolProcess {
    static func run(
        _ arguments: [String], output other: FileHandle? = nil
    ) async throws -> (code: Int32, output: Data, errors: String) {
        let scratch = ScratchFolder()
        try FileManager.default.createDirectory(at: scratch.url, withIntermediateDirectories: true)
        let output = try file("output", in: scratch)
        let errors = try file("errors", in: scratch)
        let status = try await offThread {
            let process = try ChildProcess(
                command: [ChildProcess.executable("tango-cache")] + arguments,
                output: (other ?? output).fileDescriptor, errors: errors.fileDescriptor)
            return process.end()
        }
        return (
            status >> 8 & 0xff, try Data(contentsOf: scratch.url.appending(path: "output")),
            try String(contentsOf: scratch.url.appending(path: "errors"), encoding: .utf8)
        )
    }

    private static func file(_ name: String, in scratch: ScratchFolder) throws -> FileHandle {
        let url = scratch.url.appending(path: name)
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }
}
