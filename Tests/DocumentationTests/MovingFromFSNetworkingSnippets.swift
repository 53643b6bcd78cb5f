import Foundation
import LoopbackServer
import Tango
import Testing

@testable import TestSupport

/// The code of "Moving from FSNetworking", sent to a server.
@Suite(.timeLimit(.minutes(20))) struct MovingFromFSNetworkingSnippets {
    struct Venue: Codable, Sendable { let id: String, name: String }
    struct CheckIn: Codable, Sendable { let id: String }
    struct APIFailure: Decodable, Sendable { let errorDetail: String }

    struct Venues: Sendable {
        let client: Client

        init(url: URL, token: String) {
            client = Client(baseURL: url) {
                $0.headers = .bearerAuthorization(token: token) + ["Accept-Language": "en"]
                $0.errorSerializer = .json(APIFailure.self, at: "meta") { failure in failure.errorDetail }
            }
        }
    }

    class VenueRequest<Output: Decodable & Sendable>: Request<Output> {
        let venues: Venues
        init(_ venues: Venues) { self.venues = venues }
        override var client: Client { venues.client }
        override var serializer: Serializer<Output> { .json(at: "response") }
    }

    final class Search: VenueRequest<[Venue]> {
        var words = "", categories: [String] = []
        override var endpoint: Endpoint { .get("/venues", query: ["q": words, "categories": categories]) }
        override var queryStyle: QueryStyle { QueryStyle(arrays: .commas) }
    }

    final class SendPhoto: VenueRequest<CheckIn> {
        var venue = "", photo = Data()
        override var endpoint: Endpoint {
            let parts: Multipart = [
                .text(venue, named: "venue"), .data(photo, named: "photo", fileName: "photo.jpg", type: .jpeg),
            ]
            return .post("/checkins", body: .multipart(parts))
        }
        override var backgroundPolicy: BackgroundPolicy { .finish }
    }

    @MainActor final class VenueModel {
        let venues: Venues
        var names: [String] = []
        var fraction = 0.0
        var alert: String?
        init(_ venues: Venues) { self.venues = venues }

        func search(_ words: String) {
            let request = Search(venues)
            request.words = words
            request.categories = ["food", "coffee"]
            request.start(for: self, on: .main) { model, venues in
                model.names = venues.map(\.name)
            } failure: { model, error in
                model.alert = error.asRequestError?.message
            }
        }

        func checkIn(at venue: String, photo: Data) async throws -> CheckIn {
            let request = SendPhoto(venues)
            request.venue = venue
            request.photo = photo
            let call = request.start()
            for await progress in call.progress { fraction = progress.fraction ?? fraction }
            return try await call.value
        }

        func map(to stream: OutputStream) async throws {
            try await venues.client.get("/map.png", as: ByteStream.self).value.write(to: stream)
        }

        func cancelAll() { venues.client.cancelAll() }
    }

    private let server: LoopbackServer
    private let venues: Venues

    init() throws {
        server = try LoopbackServer()
        server.answer("/venues") { request in
            request.query?.hasPrefix("q=nothing") == true
                ? .json(#"{"meta": {"errorDetail": "There is no such place."}}"#, status: 400)
                : .json(#"{"response": [{"id": "v1", "name": "Café"}]}"#)
        }
        server.answer("/checkins", method: "POST", with: .json(#"{"response": {"id": "c1"}}"#))
        server.answer("/map.png", with: .generated(bytes: 200_000))
        venues = Venues(url: server.url, token: "t1")
    }

    @Test @MainActor func search() async throws {
        let model = VenueModel(venues)
        model.search("good & cheap")
        while model.names.isEmpty { await Task.yield() }
        #expect(model.names == ["Café"])
        #expect(server.requests.last?.query == "q=good%20%26%20cheap&categories=food,coffee")
        #expect(server.requests.last?.headers["Authorization"] == "Bearer t1")
        model.search("nothing")
        while model.alert == nil { await Task.yield() }
        #expect(model.alert == "There is no such place.")
        server.stop()
    }

    @Test @MainActor func files() async throws {
        let model = VenueModel(venues)
        #expect(try await model.checkIn(at: "v1", photo: Data(count: 200_000)).id == "c1")
        #expect(model.fraction == 1)
        #expect(server.requests.last?.text.contains(#"name="photo"; filename="photo.jpg""#) == true)

        let stream = OutputStream.toMemory()
        stream.open()
        try await model.map(to: stream)
        #expect((stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data)?.count == 200_000)

        server.answer("/venues", with: .status(204).held(by: Gate()))
        model.search("slow")
        let call = try #require(venues.client.calls.first)
        model.cancelAll()
        #expect(call.state == .finished(.cancelled))
        server.stop()
    }
}
