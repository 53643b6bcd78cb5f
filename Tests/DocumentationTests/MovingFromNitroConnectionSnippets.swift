import Foundation
import LoopbackServer
import Tango
import TangoAuth
import Testing

@testable import TestSupport

/// The code of "Moving from NitroConnection", sent to a server.
@Suite(.timeLimit(.minutes(20))) struct MovingFromNitroConnectionSnippets {
    struct Place: Codable, Sendable { let name: String }

    struct Guide: Sendable {
        let client: Client

        init(url: URL, tokenURL: URL, store: any TokenStore, secret: String) {
            let oauth = OAuth2(
                tokenURL: tokenURL, client: OAuthClient(id: "guide", secret: secret), grant: .clientCredentials())
            let session = TokenAuthenticator(oauth, store: store)
            client = Client(baseURL: url) {
                $0.authenticator = .services([ServicePattern("\(url)/private/*"): session])
                $0.timeouts.idle = .seconds(3)
                $0.callbackScheduler = .current
            }
        }

        func places(near town: String) -> GetPlaces { GetPlaces(client, town) }

        func add(_ place: Place) -> Promise<Void> {
            client.post("/private/places", query: ["notify": true], headers: ["X-Source": "app"], body: .json(place))
        }
    }

    final class GetPlaces: Request<[Place]> {
        let guide: Client, town: String
        init(_ guide: Client, _ town: String) {
            self.guide = guide
            self.town = town
        }
        override var client: Client { guide }
        override var endpoint: Endpoint { .get("/private/places", query: ["town": town]) }
    }

    @MainActor final class PlacesModel {
        let guide: Guide
        var names: [String] = []
        var failure: (status: HTTPStatus, body: Data)?
        private(set) var call: Call<[Place]>?
        init(_ guide: Guide) { self.guide = guide }

        func load(_ town: String) {
            call = guide.places(near: town).start(on: .main, lifetime: .unmanaged) { [weak self] places in
                self?.names = places.map(\.name)
            } failure: { [weak self] error in
                guard let response = error.asRequestError?.response else { return }
                self?.failure = (response.status, response.body)
            }
        }

        func reload() { call = call?.retry() }

        var isLoading: Bool { call?.isFinished == false }
    }

    private let server: LoopbackServer
    private let guide: Guide

    init() throws {
        server = try LoopbackServer()
        server.answer("/token", method: "POST", with: .json(#"{"access_token": "t1", "token_type": "Bearer"}"#))
        server.answer("/private/*") { request in
            guard request.headers["Authorization"] == "Bearer t1" else { return .status(401) }
            switch request.query {
            case "town=Bonn": return .json(#"[{"name": "Museum"}]"#)
            case "notify=true": return .status(204)
            default: return .text("unknown town", status: 404)
            }
        }
        guide = Guide(url: server.url, tokenURL: server.url("/token"), store: .memory, secret: "s")
    }

    @Test @MainActor func callbacks() async throws {
        let model = PlacesModel(guide)
        model.load("Bonn")
        #expect(model.isLoading)
        while model.names.isEmpty { await Task.yield() }
        #expect(model.names == ["Museum"])
        let tokens = server.requests.filter { $0.path == "/token" }
        #expect(tokens.map(\.headers["Authorization"]) == ["Basic Z3VpZGU6cw=="])

        model.load("Atlantis")
        while model.failure == nil { await Task.yield() }
        #expect(model.failure?.status == .notFound)
        #expect(model.failure?.body == Data("unknown town".utf8))

        server.enqueue(.json(#"[{"name": "Palace"}]"#))
        model.reload()
        while model.names == ["Museum"] { await Task.yield() }
        #expect(model.names == ["Palace"])
        server.stop()
    }

    @Test func oneTokenForAll() async throws {
        _ = try await Promise.all((1...5).map { _ in guide.add(Place(name: "Bridge")) }).value
        #expect(server.requests.count { $0.path == "/token" } == 1)
        let sent = server.requests.filter { $0.path == "/private/places" }
        #expect(sent.allSatisfy { $0.query == "notify=true" && $0.headers["X-Source"] == "app" })
        server.stop()
    }

    @Test @MainActor func releasedCall() async throws {
        let gate = Gate()
        server.answer("/private/places", with: .json("[]").held(by: gate))
        var model: PlacesModel? = PlacesModel(guide)
        model?.load("Bonn")
        try await gate.reached()
        let connection = try #require(server.requests.last { $0.path == "/private/places" }).connection
        model = nil
        #expect(try await server.connectionEnded(connection) == .closedByClient)
        server.stop()
    }
}
