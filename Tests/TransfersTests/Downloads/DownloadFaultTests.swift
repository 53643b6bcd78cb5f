import Foundation
import LoopbackServer
import TangoAuth
import TangoTransfers
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Downloads that are interrupted at every moment, and resumed to the exact bytes.
@Suite(.timeLimit(.minutes(20)))
struct DownloadFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let effect: Fault.Effect
        let moment: Fault.Moment

        var testDescription: String { "\(name) at \(moment)" }
    }

    static let cases: [Case] = {
        let effects: [(String, Fault.Effect)] = [
            ("close", .close), ("reset", .reset), ("halfClose", .halfClose), ("stall", .stall), ("truncate", .truncate),
            ("garbage", .garbage),
        ]
        return effects.flatMap { name, effect in
            Fault.Moment.allCases.map { Case(name: name, effect: effect, moment: $0) }
        }
        // Bytes that a server sends within the length of the body count as its bytes. A checksum detects them.
        .filter { $0.name != "garbage" || $0.moment != .responseBody }
    }()

    @Test(arguments: cases)
    func fileIsCompleteInTheEnd(_ fault: Case) async throws {
        let place = try FileSite {
            $0.retryPolicy = .exponential(attempts: 20, base: .zero)
            $0.timeouts = Timeouts(connect: .seconds(600), idle: .milliseconds(500))
        }
        let entity = place.entity
        place.server.enqueue(
            Response(headers: ["ETag": "\"1\""], body: .generated(bytes: entity.bytes))
                .failing(fault.effect, at: fault.moment))
        var file: DownloadedFile?
        for _ in 0..<3 where file == nil { file = try? await place.get().start().value }
        #expect(file?.count == entity.bytes)
        #expect(try Data(contentsOf: place.target) == generated(entity.bytes))
        #expect(place.names == ["film.mp4"])
        await place.client.shutdown()
    }

    /// Each response breaks off in the middle of what is missing.
    @Test func everyAttemptBringsItsBytes() async throws {
        let place = try FileSite {
            $0.retryPolicy = .exponential(attempts: 12, base: .zero)
            $0.retryBudget = .unlimited
        }
        let entity = place.entity
        place.server.answer("/film.mp4") { request in
            let response = entity.response(to: request)
            guard case .part(let range) = response.body, range.count < 1000 else {
                return response.failing(.close, at: .responseBody)
            }
            return response
        }
        let call = place.get().start()
        _ = try await call.value
        #expect(call.attempts.count > 3)
        #expect(place.ranges.dropFirst().allSatisfy { $0 != nil })
        #expect(try Data(contentsOf: place.target) == generated(entity.bytes))
    }

    @Test func retriesUseTheBudgetOfTheServer() async throws {
        let place = try FileSite {
            $0.retryPolicy = .exponential(attempts: 50, base: .zero)
            $0.retryBudget = RetryBudget(burst: 2, perRequest: 0, perSecond: 0)
        }
        let entity = place.entity
        place.server.answer("/film.mp4") { entity.response(to: $0).failing(.reset, at: .responseBody) }
        let call = place.get().start()
        #expect(await refusal(of: call.promise) != nil)
        #expect(call.attempts.count == 3)
        #expect(call.attempts.last?.retry?.reason == .noBudget)
    }

    /// Returns the next quarter of a file, in a response that breaks off after it.
    private static func quarter(of entity: Entity, for request: RecordedRequest) -> Response {
        let (response, size) = (entity.response(to: request), entity.bytes)
        let start = if case .part(let range) = response.body { range.lowerBound } else { 0 }
        let end = min(start + size / 4, size)
        guard end < size else { return response }
        var headers: HeaderLines = ["ETag": "\"1\"", "Content-Length": "\(size - start)"]
        if start > 0 { headers.append("Content-Range", "bytes \(start)-\(size - 1)/\(size)") }
        return Response(status: start > 0 ? 206 : 200, headers: headers, body: .part(start..<end)).closing()
    }

    /// An attempt that has brought a megabyte counts as the first.
    @Test(arguments: [(4 << 20, true), (4000, false)])
    func progressEarnsFurtherAttempts(_ size: Int, _ isComplete: Bool) async throws {
        let place = try FileSite(Entity(bytes: size)) { $0.retryPolicy = .exponential(attempts: 2, base: .zero) }
        let entity = place.entity
        place.server.answer("/film.mp4") { Self.quarter(of: entity, for: $0) }
        let call = place.get().start()
        let error = await refusal(of: call.promise)
        #expect((error == nil) == isComplete)
        #expect(call.attempts.count == (isComplete ? 4 : 2))
        if isComplete { #expect(try Data(contentsOf: place.target) == generated(size)) }
    }

    private struct NewTokens: TokenSource {
        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
            Token(UUID().uuidString)
        }
    }

    /// A token that was accepted for a megabyte has expired since, and was no wrong one.
    @Test(arguments: [(4 << 20, true), (4000, false)])
    func downloadOutlivesSeveralTokens(_ size: Int, _ isComplete: Bool) async throws {
        let place = try FileSite(Entity(bytes: size)) {
            $0.retryPolicy = .exponential(attempts: 3, base: .zero)
            $0.retryBudget = .unlimited
            $0.authenticator = TokenAuthenticator(NewTokens())
        }
        let entity = place.entity
        let used = Recorded<String>()
        place.server.answer("/film.mp4") { request in
            // Each token is good for one attempt.
            let token = request.headers["Authorization"] ?? ""
            guard !used.all.contains(token) else {
                return .status(401).header("WWW-Authenticate", #"Bearer error="invalid_token""#)
            }
            used.add(token)
            return Self.quarter(of: entity, for: request)
        }
        let error = await refusal(of: place.get().start().promise)
        #expect((error == nil) == isComplete)
        #expect(used.all.count == (isComplete ? 4 : 2))
        if isComplete { #expect(try Data(contentsOf: place.target) == generated(size)) }
    }

    /// The server sends the file from its beginning each time, so that no attempt builds on the one before.
    @Test(arguments: ["\"1\"", nil])
    func attemptsFromTheBeginningAreNoProgress(_ tag: String?) async throws {
        let size = 4 << 20
        var entity = Entity(bytes: size, etag: tag)
        entity.allowsRanges = false
        let place = try FileSite(entity) {
            $0.retryPolicy = .exponential(attempts: 3, base: .zero)
            $0.retryBudget = .unlimited
        }
        let requests = Recorded<Int>()
        let whole = entity
        place.server.answer("/film.mp4") { request in
            requests.add(0)
            let response = whole.response(to: request)
            return requests.all.count < 20 ? response.failing(.close, at: .responseBody) : response
        }
        let call = place.get().start()
        #expect(await refusal(of: call.promise) != nil)
        #expect(call.attempts.count == 3)
        #expect(call.attempts.last?.retry?.reason == .noAttempts)
    }
}
