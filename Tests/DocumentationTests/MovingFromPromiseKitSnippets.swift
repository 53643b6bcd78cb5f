import Foundation
import LoopbackServer
import Synchronization
import Tango
import Testing

@testable import TestSupport

/// The code of "Moving from PromiseKit", sent to a server.
@Suite(.timeLimit(.minutes(20))) struct MovingFromPromiseKitSnippets {
    struct Trip: Codable, Sendable { let id: Int, place: String }
    struct Weather: Codable, Sendable { let degrees: Int }

    struct Travel: Sendable {
        let client: Client
        let legacy: LegacyLocator

        func trip(_ id: Int) -> Promise<Trip> { client.get("/trips/\(id)") }
        func weather(in place: String) -> Promise<Weather> { client.get("/weather", query: ["place": place]) }

        func position() -> Promise<String> {
            Promise { resolver in
                let search = legacy.locate { place, error in
                    if let place { resolver.fulfill(place) } else { resolver.reject(error ?? CancellationError()) }
                }
                resolver.onCancel { search.cancel() }
            }
        }
    }

    @MainActor final class TripModel {
        let travel: Travel
        var text = ""
        var isBusy = false
        private var chain: Promise<Void>?
        init(_ travel: Travel) { self.travel = travel }

        func load(_ id: Int) {
            isBusy = true
            chain = travel.trip(id)
                .flatMap { [travel] trip in
                    Promise.all(travel.weather(in: trip.place), travel.position())
                        .map { weather, here in "\(here) to \(trip.place), \(weather.degrees)°" }
                }
                .timeout(.seconds(30))
                .next(for: self, on: .main) { model, text in model.text = text }
                .finally(for: self, on: .main) { model in model.isBusy = false }
                .catch(for: self, on: .main) { model, error in model.text = "\(error)" }
        }

        func disappear() { chain?.cancel() }
    }

    func warmest(of places: [String], in travel: Travel) -> Promise<String> {
        Promise.all(places, limit: 4) { place in
            travel.weather(in: place)
                .map { weather in (place, weather.degrees) }
                .recover { error in (place, .min) }
        }
        .map { degrees in degrees.max { $0.1 < $1.1 }?.0 ?? "nowhere" }
    }

    func quickest(_ mirrors: [Client]) -> Promise<Trip> {
        Promise.retry(3, backoff: .exponential()) { attempt in
            Promise.any(mirrors.map { mirror in mirror.get("/trips/1") })
        }
    }

    /// An object with a callback, as old frameworks have them.
    final class LegacyLocator: Sendable {
        typealias Completion = @Sendable (String?, (any Error)?) -> Void

        final class Search: Sendable {
            let completion: Completion
            let isCancelled = Atomic(false)
            init(_ completion: @escaping Completion) { self.completion = completion }
            func cancel() { isCancelled.store(true, ordering: .relaxed) }
        }

        let searches = Mutex<[Search]>([])
        let place: String?
        init(_ place: String?) { self.place = place }

        func locate(_ completion: @escaping Completion) -> Search {
            let search = Search(completion)
            searches.withLock { $0.append(search) }
            if let place { DispatchQueue.global().async { completion(place, nil) } }
            return search
        }
    }

    private let server: LoopbackServer
    private let client: Client

    init() throws {
        server = try LoopbackServer()
        server.answer("/trips/1", with: .json(#"{"id": 1, "place": "Oslo"}"#))
        server.answer("/trips/2", with: .status(404))
        server.answer("/weather") { request in
            switch request.query {
            case "place=Oslo": .json(#"{"degrees": 4}"#)
            case "place=Rome": .json(#"{"degrees": 24}"#)
            default: .status(500)
            }
        }
        client = Client(baseURL: server.url)
    }

    @Test @MainActor func chain() async throws {
        let model = TripModel(Travel(client: client, legacy: LegacyLocator("Bonn")))
        model.load(1)
        #expect(model.isBusy)
        while model.isBusy || model.text.isEmpty { await Task.yield() }
        #expect(model.text == "Bonn to Oslo, 4°")
        model.text = ""
        model.load(2)
        while model.isBusy || model.text.isEmpty { await Task.yield() }
        #expect(model.text.contains("404"))
        server.stop()
    }

    @Test @MainActor func cancelledChain() async throws {
        let locator = LegacyLocator(nil)
        let model = TripModel(Travel(client: client, legacy: locator))
        model.load(1)
        while locator.searches.withLock(\.isEmpty) { await Task.yield() }
        model.disappear()
        while model.isBusy { await Task.yield() }
        #expect(model.text.isEmpty)
        #expect(locator.searches.withLock { $0.map { $0.isCancelled.load(ordering: .relaxed) } } == [true])
        server.stop()
    }

    @Test func many() async throws {
        let travel = Travel(client: client, legacy: LegacyLocator("Bonn"))
        #expect(try await warmest(of: ["Oslo", "Rome", "Atlantis"], in: travel).value == "Rome")
        let dead = Client(baseURL: server.url("/dead"))
        #expect(try await quickest([dead, client]).value.place == "Oslo")
        server.stop()
    }
}
