import Foundation
import Synchronization
import Tango

/// A transport that has each response at once, so that the allocations are those of the client.
struct InstantTransport: Transport {
    let capabilities: TransportCapabilities = []
    let response = HTTPResponse(
        status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "max-age=3600"], body: Person.json)

    func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask {
        completion { response }
        return .completed
    }

    func shutdown() async {}
}

/// A transport that holds its responses until it is told to deliver them.
final class HoldingTransport: Transport {
    let capabilities: TransportCapabilities = []
    private let held = Mutex<[TransportCompletion]>([])

    func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask {
        held.withLock { $0.append(completion) }
        return .completed
    }

    func deliver() {
        let completions = held.withLock { held in
            defer { held = [] }
            return held
        }
        for completion in completions { completion { InstantTransport().response } }
    }

    func shutdown() async {}
}

struct Person: Codable, Sendable {
    let id: Int
    let name: String

    static let json = Data(#"{"id": 1, "name": "Ada"}"#.utf8)
}
