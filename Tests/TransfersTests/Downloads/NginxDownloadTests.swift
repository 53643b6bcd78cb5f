#if os(Linux)
    import Foundation
    import Testing

    @testable import TangoTransfers
    @testable import TangoRequest
    @testable import TestSupport

    /// Downloads from nginx, which serves files and their ranges.
    @Suite(.enabled(if: Nginx.isThere, "\(Nginx.comment)"), .timeLimit(.minutes(20)))
    struct NginxDownloadTests {
        private let files = ScratchFiles()

        @Test func rangesOfNginxResume() async throws {
            let server = try await Nginx.server
            let client = Client {
                $0.timeouts = .patient
                $0.retryPolicy = .never
            }
            let target = files.url.appendingPathComponent("large")
            func request() -> GetFile {
                let request = GetFile(of: client, to: .file(target))
                request.place = .get(server.url(.clear, "/files/large", host: "127.0.0.1").absoluteString)
                return request
            }
            let fault: FileSystem.Fault = { name, _, count in
                name == .write && count >= 1_000_000 ? ENOSPC : nil
            }
            let error = await refusal(of: DownloadFiles.$fault.withValue(fault) { request().start().promise })
            #expect(error?.code == .diskFull)
            let call = request().start()
            let file = try await call.value
            #expect(file.resumedFrom >= 1_000_000)
            #expect(call.attempts.first?.response?.status == 206)
            #expect(try Data(contentsOf: target) == Data(count: 5_000_000))
            // All bytes are there already.
            #expect(try await request().start().value.count == 5_000_000)
        }
    }
#endif
