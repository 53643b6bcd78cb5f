import Foundation
import TangoRequest

/// One small request.
func get(_ url: URL, _ transport: some Transport, _ options: TransportOptions = TransportOptions()) async throws {
    let response = try await transport.send(HTTPRequest(url: url), options: options)
    guard response.status == 200 || response.status == 204 else { throw Failure("status \(response.status)") }
}

/// Sends many of them with one task for each request in flight.
func get(
    _ url: URL, _ transport: some Transport, _ options: TransportOptions = TransportOptions(), count: Int, inFlight: Int
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<inFlight {
            let share = (number + 1) * count / inFlight - number * count / inFlight
            group.addTask {
                for _ in 0..<share { try await get(url, transport, options) }
            }
        }
        try await group.waitForAll()
    }
}
