import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// Property lists on real connections, in both directions.
@Suite(.timeLimit(.minutes(20)))
struct PropertyListTests {
    private struct Person: Codable, Hashable, Sendable {
        var name = "Ada"
        var born = Date(timeIntervalSince1970: -4_862_160_000)
        var key = Data([0, 255])
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func propertyListsPassBothWays(_ format: PropertyListSerialization.PropertyListFormat) async throws {
        let site = try Site()
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let bytes = try encoder.encode(Person())
        let type = "application/x-plist"
        site.server.answer("/person", with: Response.bytes(bytes, type: type))
        let endpoint = Endpoint.put("/person", body: .data(bytes, contentType: type))
        let person = try await site.client().request(endpoint, as: Person.self, serializer: .propertyList).value
        #expect(person == Person())
        let sent = try #require(site.server.requests.first)
        #expect(sent.headers["Content-Type"] == type)
        #expect(try PropertyListDecoder().decode(Person.self, from: sent.body) == Person())
    }

    @Test func otherBodyIsAnError() async throws {
        let site = try Site()
        site.server.answer("/person", with: .text("nonsense"))
        let promise = site.client().request(.get("/person"), as: Person.self, serializer: .propertyList)
        #expect(await refusal(of: promise)?.code == .notDecodable)
    }
}
