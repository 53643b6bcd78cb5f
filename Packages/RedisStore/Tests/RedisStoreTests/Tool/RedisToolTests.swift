import CacheTool
import Foundation
import TangoCache
import Testing

@testable import RedisStore
@testable import RedisTool

/// The tool on a real server.
@Suite(.enabled(if: RedisServer.isThere, Comment(rawValue: RedisServer.hint)))
struct RedisToolTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private struct Result {
        let code: ExitCode
        let output: String
        let errors: String

        /// The JSON document in the output.
        var document: [String: Any] {
            get throws { try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:] }
        }
    }

    private static func run(_ arguments: String..., secret: String? = nil) async -> Result {
        await run(arguments, secret: secret)
    }

    private static func run(_ arguments: [String], secret: String? = nil) async -> Result {
        let output = Guarded(Data())
        let errors = Guarded("")
        let console = Console(
            write: { portion in output.change { $0 += portion } },
            complain: { text in errors.change { $0 += text + "\n" } }, isTerminal: false, now: { now })
        let sources = RedisPlace.Sources(
            variable: { $0 == RedisPlace.keySecret ? secret : nil }, file: { try Data(contentsOf: URL(filePath: $0)) })
        let code = await Tool.run(arguments, on: console, opening: RedisOpener(sources))
        return Result(code: code, output: String(decoding: output.value, as: UTF8.self), errors: errors.value)
    }

    /// A server's store with four entries, and its address for the tool.
    private static func samples(secret: String? = nil) async throws -> (store: RedisStore, address: String) {
        var configuration = try RedisServer.configuration()
        configuration.keySecret = secret
        let store = try RedisStore(configuration)
        var entries: [(key: CacheKey, entry: CacheEntry)] = [
            ("a", CacheEntry(body: Data("one".utf8), metadata: ["etag": "x"], tags: ["red", "blue"])),
            ("b/1", CacheEntry(body: Data(count: 2000), tags: ["blue"], pinned: true)),
            ("b/2", CacheEntry(body: Data(count: 100), written: now - 7200)),
            ("large", CacheEntry(body: Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }))),
        ]
        for place in entries.indices where entries[place].entry.written == nil {
            entries[place].entry.written = now - 60
        }
        try await store.setMany(entries)
        return (store, "\(RedisServer.address ?? "")/0?prefix=\(configuration.prefix)")
    }

    @Test(arguments: [nil, "a secret of the fleet"]) func entriesAreListed(_ secret: String?) async throws {
        let (store, address) = try await Self.samples(secret: secret)
        let result = await Self.run("list", address, "--sort", "key", secret: secret)
        #expect(
            result.output == """
                KEY      SIZE   WRITTEN  EXPIRES  PINNED  TAGS
                a         3 B  60 s ago    never          blue, red
                b/1    2.0 kB  60 s ago    never  yes     blue
                b/2     100 B   2 h ago    never
                large  200 kB  60 s ago    never

                4 entries, 202 kB

                """)
        #expect(result.code == .done)
        #expect(result.errors == "")
        let tagged = await Self.run("list", address, "--tag", "blue", "--json", secret: secret)
        #expect(try tagged.document["count"] as? Int == 2)
        #expect(try tagged.document["folder"] as? String == address)
        store.close()
    }

    @Test func entryIsShownWithItsBody() async throws {
        let (store, address) = try await Self.samples()
        let shown = await Self.run("show", address, "a")
        #expect(
            shown.output == """
                key       a
                size      3 B
                written   2027-01-15T07:59:00Z, 60 s ago
                expires   never
                pinned    no
                tags      blue, red
                metadata  etag: x

                """)
        #expect(await Self.run("show", address, "a", "--body").output == "one")
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(await Self.run("show", address, "large", "--output", file.path).code == .done)
        let large = try await store.get("large")
        #expect(try Data(contentsOf: file) == large?.body)
        let missing = await Self.run("show", address, "c")
        #expect(missing.code == .nothing)
        #expect(missing.errors == "there is no entry under c, or it has expired.\n")
        store.close()
    }

    @Test func statisticsCountTheEntries() async throws {
        let (store, address) = try await Self.samples()
        let result = await Self.run("stats", address)
        #expect(
            result.output == """
                engine               Redis
                entries              4, 1 of them pinned, 0 expired
                counted              202 kB, 2.0 kB of it pinned
                oldest               2 h ago
                newest               60 s ago
                prefix               \(store.configuration.prefix)
                database             0
                application version  0

                """)
        let document = try await Self.run("stats", address, "--json").document
        #expect(document["engine"] as? String == "redis")
        #expect(document["bytes"] as? Int == 202_103)
        #expect(document["newest"] as? String == "2027-01-15T07:59:00Z")
        store.close()
    }

    @Test(
        arguments: [
            (["b/1", "c"], "Removed 1 entry, 2.0 kB.\n", ["a", "b/2", "large"]),
            (["--tag", "blue"], "Removed 2 entries, 2.0 kB.\n", ["b/2", "large"]),
            (["--prefix", "b/"], "Removed 2 entries, 2.1 kB.\n", ["a", "large"]),
            (["--older-than", "1h"], "Removed 1 entry, 100 B.\n", ["a", "b/1", "large"]),
            (["--all"], "Removed 4 entries, 202 kB.\n", []),
            (["--expired"], "", ["a", "b/1", "b/2", "large"]),
        ] as [([String], String, [String])])
    func entriesArePurged(_ selection: [String], _ output: String, _ rest: [String]) async throws {
        let (store, address) = try await Self.samples()
        let tried = await Self.run(["purge", address, "--dry-run"] + selection)
        #expect(try await keys(of: store).count == 4)
        let result = await Self.run(["purge", address] + selection)
        #expect(result.output == output)
        #expect(result.code == (output.isEmpty ? .nothing : .done))
        #expect(tried.code == result.code)
        #expect(try await keys(of: store) == rest)
        store.close()
    }

    private func keys(of store: RedisStore) async throws -> [String] {
        var keys: [String] = []
        for try await item in store.entries() { keys.append(item.key.description) }
        return keys.sorted()
    }

    /// Restarting the server ends the incarnation. The application begins a new one, and a tool that looks must not.
    @Test func lookingWritesNothing() async throws {
        let server = try TestServer("--appendonly", "yes", "--appendfsync", "always")
        let store = try RedisStore(server.configuration(budget: .seconds(20)), onEvent: { _ in })
        try await store.untilReachable()
        try await store.set(CacheEntry(body: Data("a".utf8)), for: "a")
        let address = "redis://127.0.0.1:\(server.port)?prefix=fault"
        func changes() async throws -> String? {
            try await store.command("INFO", "persistence").text?.split(whereSeparator: \.isNewline)
                .first { $0.hasPrefix("rdb_changes_since_last_save:") }.map(String.init)
        }
        for isRestarted in [false, true] {
            if isRestarted {
                server.kill()
                try await eventually { !store.health.isReachable }
                try server.start()
                try await store.untilReachable()
            }
            let before = try await changes()
            for verb in [["list"], ["stats"], ["purge", "--all", "--dry-run"], ["show", "a"]] {
                let result = await Self.run([verb[0], address] + verb.dropFirst() + ["--json"])
                #expect(result.code == (isRestarted && verb[0] != "stats" ? .nothing : .done))
            }
            #expect(try await changes() == before)
        }
        store.close()
    }

    @Test func verifyingIsForFolders() async throws {
        let result = await Self.run("verify", RedisServer.address ?? "")
        #expect(result.code == .usage)
        #expect(result.errors.hasPrefix("verify checks the files of a folder"))
        #expect(result.errors.hasSuffix("Try: tango-cache-redis help\n"))
    }

    @Test func damagedEntryIsReportedWithAdviceForServers() async throws {
        let (store, address) = try await Self.samples()
        _ = try await store.command("SET", "\(store.configuration.prefix):0:1:ea", "T1")
        let result = await Self.run("show", address, "a")
        #expect(result.code == .nothing)
        #expect(result.errors.contains("is damaged: its checksum is wrong. It counts as missing"))
        store.close()
    }

    @Test func foldersAreOpenedToo() async throws {
        let result = await Self.run("stats", "/nowhere/at/all")
        #expect(result.code == .unusable)
        #expect(result.errors == "There is no folder /nowhere/at/all. Check the path.\n")
    }

    @Test func executableTakesThePasswordFromTheEnvironmentOrAFile() async throws {
        let server = try TestServer("--requirepass", "hidden")
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("hidden\n".utf8).write(to: file)
        let address = "redis://127.0.0.1:\(server.port)"
        // The server needs a moment to start.
        var configuration = try server.configuration(budget: .seconds(20))
        configuration.password = "hidden"
        let store = try RedisStore(configuration, onEvent: { _ in })
        try await store.untilReachable()
        store.close()
        for (place, password, code) in [
            (address, "hidden", 0), ("\(address)?password-file=\(file.path)", nil, 0), (address, "hidden2", 3),
            (address, nil, 3),
        ] as [(String, String?, Int32)] {
            let result = try Self.process(["stats", place], password)
            #expect(result.code == code)
            #expect(!result.text.contains("hidden"))
            #expect(result.text.contains(code == 0 ? "engine" : "tango-cache-redis: The Redis server has refused"))
        }
    }

    private static func process(_ arguments: [String], _ password: String?) throws -> (code: Int32, text: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("tango-cache-redis")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
        process.environment?[RedisPlace.password] = password
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
