import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLSession` configured for many requests at once.
final class Sessions: Sendable {
    private let session: URLSession

    init(connections: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration)
    }

    func get(_ url: URL, count: Int, inFlight: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<inFlight {
                let share = (number + 1) * count / inFlight - number * count / inFlight
                group.addTask { [self] in
                    for _ in 0..<share { try await get(url) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func get(_ url: URL) async throws {
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            let task = session.dataTask(with: url) { _, response, error in
                if (response as? HTTPURLResponse)?.statusCode == 200 {
                    continuation.resume()
                } else {
                    continuation.resume(throwing: error ?? Failure("a request of URLSession failed"))
                }
            }
            task.resume()
        }
    }
}
