import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Every fault at every moment, with every way of sending and receiving. Each request ends as the table says.
@Suite(.timeLimit(.minutes(20))) struct FaultMatrixTests {
    typealias Kind = TransportUnderTest
    typealias Moment = Fault.Moment

    enum Effect: String, CaseIterable, Sendable {
        case close, reset, halfClose, stall, throttle, truncate, garbage

        var effect: Fault.Effect {
            switch self {
            case .close: .close
            case .reset: .reset
            case .halfClose: .halfClose
            case .stall: .stall
            case .throttle: .throttle(bytes: 3_000, every: .milliseconds(1))
            case .truncate: .truncate
            case .garbage: .garbage
            }
        }
    }

    enum Way: String, CaseIterable, Sendable {
        case whole, stream, upload, chunkedUpload

        var method: HTTPMethod { self == .upload || self == .chunkedUpload ? .post : .get }

        func body() -> Body {
            switch self {
            case .whole, .stream: .none
            case .upload: .data(generated(200_000))
            case .chunkedUpload: .stream(Portions((0..<20).map { _ in generated(10_000) }))
            }
        }
    }

    /// The error codes that a fault may cause, or `success`. A race may allow more than one.
    static func expected(_ effect: Effect, _ moment: Moment, _ way: Way) -> Set<String> {
        func codes(_ codes: RequestError.Code...) -> Set<String> { Set(codes.map(\.rawValue)) }
        let isUpload = way.method == .post
        switch (effect, moment) {
        case (.throttle, _): return ["success"]
        case (.stall, .end): return ["success"]
        case (.stall, _): return codes(.idleTimedOut)
        // The connection may close before or after it is established.
        case (.reset, .accept), (.close, .accept): return codes(.connectionLost, .cannotConnect)
        // The response is complete.
        case (_, .end): return ["success"]
        case (.garbage, .accept), (.garbage, .requestHead), (.garbage, .requestBody), (.garbage, .response):
            return isUpload ? codes(.badResponse, .connectionLost) : codes(.badResponse)
        case (.garbage, .responseHead): return codes(.badResponse, .connectionLost, .truncated)
        // Garbage counts as bytes of the body, which ends before its announced length.
        case (.garbage, .responseBody): return codes(.truncated)
        case (.reset, .responseBody): return codes(.truncated, .connectionLost)
        case (.halfClose, .responseBody), (.close, .responseBody), (.truncate, .responseBody):
            return codes(.truncated)
        case (_, .responseHead): return codes(.connectionLost, .truncated)
        default: return codes(.connectionLost)
        }
    }

    @Test(arguments: Kind.overTLS, Effect.allCases)
    func everyFaultEndsWithAnExpectedCode(_ kind: Kind, _ effect: Effect) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for moment in Moment.allCases where kind.survives(effect, at: moment) {
                group.addTask { for way in Way.allCases { try await Self.run(effect, moment, way, by: kind) } }
            }
            try await group.waitForAll()
        }
    }

    private static func run(_ effect: Effect, _ moment: Moment, _ way: Way, by kind: Kind) async throws {
        try await kind.run { transport, server in
            let (outcome, detail) = try await Self.outcome(effect, moment, way, transport, server, kind)
            // On a busy machine, connecting may take long if the transport runs all requests on one thread.
            let isLate = outcome == "connectTimedOut" && effect == .stall && kind.limitations.contains(.connectTimes)
            #expect(
                isLate || Self.expected(effect, moment, way).contains(outcome), "\(moment), \(way): \(detail)")
            // The transport still works.
            server.removeResponses()
            server.answer(with: .text("after"))
            let after = HTTPRequest(.get, server, "/after")
            var response: HTTPResponse?
            if moment == .end {
                // A broken idle connection looks usable, and so does one whose end has yet to arrive. The request that is sent on
                // it fails and closes it. On a busy machine, a short time may pass before the request is sent.
                for seconds in [1, 4, 16] {
                    let options = TransportOptions().timing(connect: .seconds(seconds), idle: .seconds(seconds))
                    for _ in 0..<server.connections.accepted where response == nil {
                        response = try? await transport.send(after, options: options)
                    }
                }
            }
            if response == nil { response = try await transport.send(after) }
            #expect(response?.body == Data("after".utf8), "after \(moment), \(way)")
        }
    }

    private static func outcome(
        _ effect: Effect, _ moment: Moment, _ way: Way, _ transport: any Transport, _ server: LoopbackServer,
        _ kind: Kind
    ) async throws -> (code: String, detail: String) {
        let answer = Response.generated(bytes: 50_000).header("X-Some", "headers that make a head longer")
        if moment == .accept { server.enqueueFault(atAccept: effect.effect) }
        server.answer(with: moment == .accept ? answer : answer.failing(effect.effect, at: moment))
        // If the transport does not report when it is connected, one timeout covers connecting and waiting.
        let isOneTime = kind.limitations.contains(.connectTimes)
        let endsByTime = effect == .stall && moment != .end
        let options = TransportOptions(delivery: way == .stream ? .stream : .whole()).timing(
            connect: isOneTime && endsByTime ? .milliseconds(1500) : .seconds(60),
            idle: endsByTime ? .milliseconds(1000) : .seconds(60), total: .seconds(100))
        do {
            var response = try await transport.send(HTTPRequest(way.method, server, body: way.body()), options: options)
            try await response.collect()
            #expect(response.body == generated(50_000))
            return ("success", "")
        } catch let error as RequestError {
            if let body = error.response?.body { #expect(body.prefix(25_000) == generated(body.count).prefix(25_000)) }
            return (error.code.rawValue, error.detail)
        }
    }
}

extension TransportUnderTest {
    /// A Boolean value that indicates whether the process survives the fault, so that the test can check the outcome.
    fileprivate func survives(_ effect: FaultMatrixTests.Effect, at moment: Fault.Moment) -> Bool {
        guard moment == .responseHead, limitations.contains(.halfHeads) else { return true }
        return effect == .stall || effect == .throttle
    }
}
