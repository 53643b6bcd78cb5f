#if os(Linux)
    import ChildProcesses
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TestSupport

    /// Downloads by processes that are killed at random, of a server that breaks off at random.
    ///
    /// With `TANGO_LONG=1` the file has 2 GB and is interrupted 20 times, otherwise 64 MB and 6 times.
    @Suite(.timeLimit(.minutes(30)))
    struct DownloadProcessTests {
        /// Over one connection, in parts, and in another number of parts each time.
        @Test(arguments: [[1], [4], [4, 1, 3]])
        func killedProcessesResumeToTheExactBytes(_ parts: [Int]) async throws {
            let size = isLongRun ? 2 << 30 : 64 << 20
            let rounds = isLongRun ? 20 : 6
            let seed = UInt64.random(in: 1...1_000_000)
            var dice = SeededNumbers(seed: seed)
            let site = try FileSite(Entity(bytes: size))
            let entity = site.entity
            let faults = Recorded<Int>()
            site.server.answer("/film.mp4") { request in
                // Every third response breaks off half-way through what is missing.
                faults.add(0)
                let response = entity.response(to: request)
                return faults.all.count % 3 == 0 ? response.failing(.reset, at: .responseBody) : response
            }
            let command = [
                ChildProcess.executable("RequestProcess"), "download", site.server.url("/film.mp4").absoluteString,
                site.target.path,
            ]
            var kills = 0
            for round in 0..<rounds {
                let count = parts[round % parts.count]
                // A number of bytes, within what a round should bring.
                let lines = Int.random(in: 1...max(1, (size >> 20) / (rounds + 2)), using: &dice)
                kills += try await inThread {
                    let process = try ChildProcess(command: command + ["\(count)"])
                    for _ in 0..<lines {
                        guard let line = process.line(), line.hasPrefix("received") else { break }
                    }
                    process.send(SIGKILL)
                    return process.end() & 0x7f == SIGKILL ? 1 : 0
                }
            }
            let last = try await RequestChild(Array(command.dropFirst()) + ["\(parts[0])"])
            #expect(last["error"] == nil, "seed \(seed)")
            #expect(kills > 0, "seed \(seed)")
            #expect(last.number("count") == size, "seed \(seed)")
            #expect(try isGenerated(site.target, size), "seed \(seed)")
            #expect(site.names == ["film.mp4"])
            #expect(site.ranges.contains { $0 != nil })
        }

        @Test func anotherProcessIsRefused() async throws {
            let site = try FileSite()
            let gate = Gate()
            let entity = site.entity
            site.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate, at: .responseBody) }
            let call = site.get().start()
            for await progress in call.progress where progress.received > 0 { break }
            let child = try await RequestChild(
                "download", site.server.url("/film.mp4").absoluteString, site.target.path)
            #expect(child["error"]?.contains("destinationInUse") == true)
            gate.open()
            #expect(try await call.value.count == FileSite.size)
        }

        /// Runs work that blocks on a thread of its own.
        private func inThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
            }
        }

        /// Returns whether a file has the bytes that the server generates.
        private func isGenerated(_ file: URL, _ size: Int) throws -> Bool {
            let block = generated(251 << 12)
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            var count = 0
            while let data = try handle.read(upToCount: block.count), !data.isEmpty {
                guard data == block.prefix(data.count) else { return false }
                count += data.count
            }
            return count == size
        }
    }
#endif
