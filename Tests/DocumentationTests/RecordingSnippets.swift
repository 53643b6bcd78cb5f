import Foundation
import LoopbackServer
import Tango
import TangoTesting
import Testing

@testable import TestSupport

/// The snippets of the article on recordings, and those in comments.
@Suite(.timeLimit(.minutes(20)))
struct RecordingSnippets {
    private struct User: Codable, Sendable {
        var name: String
    }

    private let server: LoopbackServer
    private let files = ScratchFiles()
    private var file: URL { files.url.appendingPathComponent("run.har") }

    init() throws {
        server = try LoopbackServer()
        server.answer("/users/1", with: .json(#"{"name":"Ada"}"#))
    }

    @Test func recordAndReplay() async throws {
        let url = server.url
        do {
            let recorder = try HARRecorder(file: file)
            let api = Client(baseURL: url) { $0.observers.append(recorder) }
            #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
            // The end of the call may still hold the client, and with it the recorder.
            recorder.close()
        }
        do {
            let replay = try HARReplay(file: file)
            let api = Client(baseURL: url) { $0.transport = replay }
            #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
        }
        let recording = try Recording(file: file)
        for exchange in recording.exchanges { print(exchange) }
        #expect(recording.exchanges.map(\.description) == ["GET \(server.url("/users/1")) -> 200"])
    }

    @Test(arguments: 1...2)
    func fixture(_ run: Int) async throws {
        let url = server.url
        for _ in 1...run {
            let fixture = try HARFixture(file: file)
            let api = Client(baseURL: url) { fixture.apply(to: &$0) }
            let user = try await api.get("/users/1", as: User.self).value
            #expect(user.name == "Ada")
            try fixture.finish()
        }
        #expect(server.requests.count == 1)
        #expect(try !HARFixture(file: file, mode: .replay).isRecording)
    }
}
