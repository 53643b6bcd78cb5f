import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// The size limit of bodies that are delivered as a whole.
@Suite(.timeLimit(.minutes(20))) struct ResponseLimitTests {
    typealias Kind = TransportUnderTest

    static let limit = TransportOptions.Delivery.defaultLimit

    @Test func defaultLimitIs256MB() {
        #expect(Self.limit == 268_435_456)
        #expect(Client().configuration.responseLimit == Self.limit)
        #expect(Client { $0.responseLimit = nil }.configuration.responseLimit == nil)
        #expect(TransportOptions().delivery == .whole(limit: Self.limit))
        #expect(TransportOptions.Delivery.whole() == .whole(limit: Self.limit))
    }

    final class GetAll: Request<Data> {
        override var endpoint: Endpoint { .get("/") }
        override var client: Client { own }
        let own: Client

        init(_ own: Client) { self.own = own }
    }

    @Test func errorOfABodyAboveTheLimitSaysWhatToDo() async throws {
        let server = try LoopbackServer(recording: .none, bodies: .none)
        server.answer(with: .generated(bytes: 1 << 40))
        let error = try await within {
            try await failure { try await GetAll(Client(baseURL: server.url)).promise.value }
        }
        #expect(error.code == .responseTooLarge)
        #expect(error.detail.contains("268435456"))
        #expect(error.detail.contains("responseLimit"))
        #expect(error.detail.contains("stream"))
        server.stop()
    }

    @Test(arguments: Kind.all)
    func limitOfTheClientAppliesToMessages(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .generated(bytes: 10_000))
            let request = HTTPRequest(.get, server)
            let small = Client {
                $0.transport = transport
                $0.responseLimit = 9_999
            }
            let error = try await failure { try await small.send(request) }
            #expect(error.code == .responseTooLarge)
            #expect(error.detail.contains("9999"))
            #expect(try await small.send(request, delivery: .whole(limit: 10_000)).body.count == 10_000)
            #expect(try await small.send(request, delivery: .whole(limit: nil)).body.count == 10_000)
            let exact = Client {
                $0.transport = transport
                $0.responseLimit = 10_000
            }
            #expect(try await exact.send(request).body.count == 10_000)
        }
    }

    @Test(arguments: Kind.all)
    func limitOfZeroAllowsNoByte(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer("/empty", with: .status(200))
            server.answer("/one", with: .text("1"))
            let client = Client {
                $0.transport = transport
                $0.responseLimit = 0
            }
            #expect(try await client.send(HTTPRequest(.get, server, "/empty")).status == 200)
            let error = try await failure { try await client.send(HTTPRequest(.get, server, "/one")) }
            #expect(error.code == .responseTooLarge)
        }
    }

    /// A response with more portions of a megabyte than the limit allows.
    private static var endless: HTTPResponse {
        let portions = [String](repeating: String(repeating: "x", count: 1 << 20), count: 257)
        return HTTPResponse(status: .ok, stream: BodyStream(ScriptedBody(portions)))
    }

    @Test func collectingHasTheSameDefaultLimit() async throws {
        let error = try await failure {
            var response = Self.endless
            try await response.collect()
        }
        #expect(error.code == .responseTooLarge)
        #expect(error.detail.contains("268435456"))
        #expect(error.detail.contains("collect(upTo:)"))
        for limit in [nil, 257 << 20] {
            var response = Self.endless
            try await response.collect(upTo: limit)
            #expect(response.body.count == 257 << 20)
            // A collected body stays, although it exceeds the default limit.
            try await response.collect()
            #expect(response.body.count == 257 << 20)
        }
    }
}
