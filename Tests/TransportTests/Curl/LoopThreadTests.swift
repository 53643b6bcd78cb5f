#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// The signals that threads of the library block.
    @Suite(.timeLimit(.minutes(20))) struct LoopThreadTests {
        static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS, SIGPROF]
        static let others = [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD, SIGALRM, SIGIO]

        @Test func threadBlocksAllSignalsExceptFaults() async throws {
            let blocked = await withCheckedContinuation { continuation in
                let hasStarted = LoopThread.start("tango.test") {
                    var mask = sigset_t()
                    pthread_sigmask(SIG_BLOCK, nil, &mask)
                    continuation.resume(returning: (Self.faults + Self.others).filter { sigismember(&mask, $0) == 1 })
                }
                #expect(hasStarted)
            }
            #expect(blocked == Self.others)
        }

        @Test func transportThreadBlocksAllSignalsExceptFaults() async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("ok"))
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            #expect(try await transport.send(HTTPRequest(.get, server)).status == 200)
            // A thread of Dispatch inherits the name of the thread that creates it, and blocks SIGPROF as well.
            let masks = try Self.masks(ofThreadsNamed: "tango.curl")
            func blocks(_ signal: Int32, _ mask: UInt64) -> Bool { mask & (1 << UInt64(signal - 1)) != 0 }
            #expect(
                masks.contains { mask in
                    Self.others.allSatisfy { blocks($0, mask) } && !Self.faults.contains { blocks($0, mask) }
                }, "\(masks.map { String($0, radix: 16) })")
            await transport.shutdown()
        }

        private static func masks(ofThreadsNamed name: String) throws -> [UInt64] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { thread in
                // A thread that has just ended has no file.
                let path = "/proc/self/task/\(thread)/status"
                let lines = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n") ?? []
                guard lines.first?.hasSuffix("\t\(name)") == true else { return nil }
                return lines.first { $0.hasPrefix("SigBlk:") }.flatMap { UInt64($0.suffix(16), radix: 16) }
            }
        }
    }
#endif
