#if os(Linux)
    import ChildProcesses
    import Foundation
    import LoopbackServer
    import Synchronization
    import TangoCache
    import TangoPromise
    import Testing

    @testable import TangoRequest
    @testable import TestSupport

    /// Two processes with one folder. One signs out while responses of the other are on their way.
    @Suite(.timeLimit(.minutes(20)))
    struct SharedFolderTests {
        private static let rounds = isLongRun ? 1_000 : 30

        @Test(arguments: ["declared", "http", "large", "streamed"])
        func noOldResponseIsServedAfterSigningOut(_ way: String) async throws {
            let files = ScratchFiles()
            let server = try LoopbackServer()
            defer { server.stop() }
            let version = Mutex(0)
            let filler = way == "declared" || way == "http" ? "" : String(repeating: ".", count: 50_000)
            server.answer { _ in
                .text("\(version.withLock { $0 })\(filler)").header("Cache-Control", "max-age=1000")
                    .header("ETag", "\"\(version.withLock { $0 })\"")
            }
            let folder = files.url.appending(path: "store")
            let client = Client(baseURL: server.url, cache: try DiskStore(directory: folder)) {
                $0.identity = "ada"
            }
            let input = try ChildProcess.pipe()
            defer { for end in [input.reading, input.writing] { close(end) } }
            let child = try ChildProcess(
                command: [
                    ChildProcess.executable("RequestProcess"), "signing", server.url.absoluteString, folder.path,
                    way,
                ], input: input.reading)
            while let line = await line(of: child), line != "ready yes" {}
            var wrong: [String] = []
            for round in 1...Self.rounds {
                version.withLock { $0 = round }
                try await client.removeCachedResponses()
                // Other requests of the child are on their way meanwhile, for a time that varies.
                for _ in 0..<Int.random(in: 2..<8) {
                    write(input.writing, "\n", 1)
                    guard let line = await line(of: child) else { break }
                    let served = line.split(separator: " ").last.flatMap { Int($0) } ?? -1
                    if served < round { wrong.append("\(line) in round \(round)") }
                }
            }
            #expect(wrong == [])
            #expect(child.isRunning)
            child.send(SIGKILL)
            await client.shutdown()
        }

        private func line(of child: ChildProcess) async -> String? {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: child.line()) }
            }
        }
    }
#endif
