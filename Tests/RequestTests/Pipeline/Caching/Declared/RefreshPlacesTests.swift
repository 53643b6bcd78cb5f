import Foundation
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The limit of concurrent refreshes.
@Suite(.timeLimit(.minutes(20)))
struct RefreshPlacesTests {
    private let places = RefreshPlaces()
    private let client = Client(baseURL: URL(string: "http://nowhere.invalid"))

    private func alone() -> RefreshPlaces.Place { RefreshPlaces.Place(sharedBy: nil) }

    private func shared(_ path: String) throws -> RefreshPlaces.Place {
        let core = GetItem(client, .networkOnly, .get(path)).start(lifetime: .unmanaged).core
        let key: FlightKey = try #require(FlightKey(of: core))
        return RefreshPlaces.Place(sharedBy: key)
    }

    /// Takes a place, and records the start of the refresh.
    private func take(_ place: RefreshPlaces.Place, _ started: Facts, _ word: String = "started") {
        places.take(place) {
            started.note(word)
            return true
        }
    }

    /// Takes all places.
    private func fill() -> [RefreshPlaces.Place] {
        let taken = (0..<RefreshPlaces.limit).map { _ in alone() }
        for place in taken { places.take(place) { true } }
        return taken
    }

    @Test func refreshesAboveTheLimitWaitInOrder() {
        let started = Facts()
        let all = (0..<RefreshPlaces.limit * 2).map { _ in alone() }
        for (number, place) in all.enumerated() {
            take(place, started, "\(number)")
        }
        #expect(started.count == RefreshPlaces.limit)
        for place in all.prefix(RefreshPlaces.limit) { places.leave(place) }
        #expect(started.all == all.indices.map(String.init))
    }

    @Test func thousandsOfUnwantedRefreshesTakeNoPlace() {
        let taken = fill()
        for _ in 0..<100_000 { places.take(alone()) { false } }
        let started = Facts()
        take(alone(), started)
        places.leave(taken[0])
        #expect(started.count == 1)
    }

    /// Nested starts would overflow the stack.
    @Test func thousandsOfRefreshesThatEndAtOnceDoNotNest() {
        let taken = fill()
        let started = Facts()
        for _ in 0..<100_000 {
            let place = alone()
            places.take(place) { [places] in
                started.note("started")
                places.leave(place)
                return true
            }
        }
        places.leave(taken[0])
        #expect(started.count == 100_000)
    }

    @Test func refreshesThatShareATransferTakeOnePlace() throws {
        let started = Facts()
        let (one, other) = (try shared("/1"), try shared("/2"))
        for _ in 0..<1000 {
            take(one, started, "one")
        }
        #expect(started.count == 1000)
        for _ in 1..<RefreshPlaces.limit { places.take(alone()) { true } }
        for _ in 0..<1000 {
            take(other, started, "other")
        }
        #expect(started.count == 1000)
        // The place is free once the last refresh has left it. Then all refreshes of the other transfer start at once.
        for _ in 1..<1000 { places.leave(one) }
        #expect(started.count == 1000)
        places.leave(one)
        #expect(started.count == 2000)
    }

    @Test func groupOfUnwantedRefreshesTakesNoPlace() throws {
        let taken = fill()
        let group = try shared("/1")
        for _ in 0..<10 { places.take(group) { false } }
        let started = Facts()
        take(alone(), started)
        places.leave(taken[0])
        #expect(started.count == 1)
        // The group can take a place again.
        places.leave(taken[1])
        take(group, started)
        #expect(started.count == 2)
    }

    @Test func placesCanBeTakenAndLeftConcurrently() async throws {
        let groups = [nil, nil, try shared("/1"), try shared("/2")]
        let started = Facts()
        await withTaskGroup(of: Void.self) { tasks in
            for number in 0..<2000 {
                let place = groups[number % 4] ?? alone()
                tasks.addTask { [places] in
                    await withCheckedContinuation { continuation in
                        places.take(place) {
                            started.note("started")
                            continuation.resume()
                            return true
                        }
                    }
                    await Task.yield()
                    places.leave(place)
                }
            }
        }
        #expect(started.count == 2000)
        // All places are free again.
        for _ in 0..<RefreshPlaces.limit {
            take(alone(), started)
        }
        #expect(started.count == 2000 + RefreshPlaces.limit)
    }
}
