import Foundation
import LoopbackServer
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Attempts that follow a finished one within a call.
@Suite(.timeLimit(.minutes(20)))
struct RepeatedDownloadTests {
    private static let size = FileSite.size

    /// Sends each request several times.
    private struct Repetition: Interceptor {
        let count: Int
        let atOnce: Bool

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var response = try await first(request, next)
            for _ in 1..<(atOnce ? 1 : count) { response = try await next(request) }
            return response
        }

        /// Returns the last of the responses to requests that are sent at the same time, if one is a success.
        private func first(_ request: HTTPRequest, _ next: Next) async throws -> HTTPResponse {
            guard atOnce else { return try await next(request) }
            return try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                for _ in 0..<count { group.addTask { try await next(request) } }
                var last: HTTPResponse?
                while let response = try await group.next() { last = response }
                return try last ?? { throw CancellationError() }()
            }
        }
    }

    private func site(_ retries: Int = 1, _ interceptors: [any Interceptor] = []) throws -> FileSite {
        try FileSite {
            $0.retryPolicy = .custom { $0.number <= retries ? .zero : nil }
            $0.interceptors = interceptors
        }
    }

    private func verified(_ place: FileSite, isFolder: Bool = false) -> GetFile {
        let request = isFolder ? place.getIntoFolder() : place.get()
        request.digest = .sha256(SHA256.hex(generated(Self.size)))
        return request
    }

    @Test(arguments: [true, false])
    func attemptAfterADamagedFileIsFresh(_ isFolder: Bool) async throws {
        let place = try site()
        place.server.enqueue(Response(headers: ["ETag": "\"1\""], body: .part(1..<Self.size + 1)))
        let call = verified(place, isFolder: isFolder).start()
        let file = try await call.value
        #expect(file.count == Self.size)
        #expect(call.attempts.count == 2)
        #expect(place.ranges == [nil, nil])
        #expect(try Data(contentsOf: place.target) == generated(Self.size))
        #expect(place.names == ["film.mp4"])
    }

    @Test func fileThatStaysDamagedIsAnError() async throws {
        let place = try site(2)
        place.server.answer("/film.mp4", with: Response(headers: ["ETag": "\"1\""], body: .generated(bytes: 10)))
        let call = verified(place).start()
        #expect(try #require(await refusal(of: call.promise)).code == .checksumMismatch)
        #expect(call.attempts.count == 3)
        #expect(call.state == .finished(.failure))
        #expect(place.names.isEmpty)
    }

    @Test func interceptorMaySendARequestTwice() async throws {
        let place = try site(0, [Repetition(count: 2, atOnce: false)])
        let file = try await place.get().start().value
        #expect(file.resumedFrom == 0)
        #expect(place.ranges == [nil, nil])
        #expect(try Data(contentsOf: place.target) == generated(Self.size))
        #expect(place.names == ["film.mp4"])
    }

    @Test func interceptorMayNotSendARequestTwiceAtOnce() async throws {
        let place = try site(0, [Repetition(count: 2, atOnce: true)])
        let gate = Gate()
        let entity = place.entity
        place.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate, at: .responseBody) }
        let error = try #require(await refusal(of: place.get().start().promise))
        #expect(error.code == .destinationInUse)
        #expect(place.server.requests.count <= 1)
        gate.open()
    }
}
