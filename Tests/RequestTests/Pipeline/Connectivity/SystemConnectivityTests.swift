#if os(Linux)
    import ChildProcesses
    import Foundation
    import Testing

    @testable import TangoRequest
    @testable import TestSupport

    /// The connectivity that the kernel reports, in a network namespace of its own.
    @Suite(.timeLimit(.minutes(20)))
    struct SystemConnectivityTests {
        /// A Boolean value that indicates whether the system lets a test make a network of its own.
        private static let makesNetworks =
            (try? run("unshare", "-rn", "ip", "link", "add", "type", "veth"))?.status == 0

        private static func run(_ command: String...) throws -> (lines: [String], status: CInt) {
            let process = try ChildProcess(command: command)
            return (process.lines(), process.end())
        }

        @Test(.enabled(if: makesNetworks, "needs unshare, and ip with interfaces of the kind veth"))
        func kernelReportsANetworkThatComesAndGoes() async throws {
            let program = ChildProcess.executable("RequestProcess")
            let (lines, status) = try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try Self.run("unshare", "-rn", program, "connectivity") })
                }
            }
            #expect(status == 0)
            #expect(
                lines == [
                    "before unavailable", "loopback unavailable", "failure offline", "up available",
                    "waited yes", "down unavailable", "again available", "done yes",
                ])
        }

        @Test func statusIsStable() {
            let connectivity = SystemConnectivity()
            let status = connectivity.status
            #expect(connectivity.status == status)
            #expect(NetworkState.current?.status == status)
        }
    }
#endif
