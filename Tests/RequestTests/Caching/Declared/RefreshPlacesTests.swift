import Foundation
import Testing

@testable import TangoRequest

/// How many ask at a time although they have an answer.
@Suite(.timeLimit(.minutes(10)))
struct RefreshPlacesTests {
    private let places = RefreshPlaces()
    private let client = Client(baseURL: URL(string: "http://nowhere.invalid"))

    private func alone() -> RefreshPlaces.Place { RefreshPlaces.Place(sharedBy: nil) }

    private func shared(_ path: String) throws -> RefreshPlaces.Place {
        let core = GetItem(client, .networkOnly, .get(path)).start(lifetime: .unmanaged).core
        let key: FlightKey = try #require(FlightKey(of: core))
        return RefreshPlaces.Place(sharedBy: key)
    }

    /// Has somebody ask, and notes it.
    private func take(_ place: RefreshPlaces.Place, _ asked: Facts, _ word: String = "asked") {
        places.take(place) {
            asked.note(word)
            return true
        }
    }

    /// Takes all places there are.
    private func fill() -> [RefreshPlaces.Place] {
        let taken = (0..<RefreshPlaces.limit).map { _ in alone() }
        for place in taken { places.take(place) { true } }
        return taken
    }

    @Test func thoseAboveTheLimitWaitTheirTurn() {
        let asked = Facts()
        let all = (0..<RefreshPlaces.limit * 2).map { _ in alone() }
        for (number, place) in all.enumerated() {
            take(place, asked, "\(number)")
        }
        #expect(asked.count == RefreshPlaces.limit)
        for place in all.prefix(RefreshPlaces.limit) { places.leave(place) }
        #expect(asked.all == all.indices.map(String.init))
    }

    @Test func thousandsWhoHaveLeftAreSentAway() {
        let taken = fill()
        for _ in 0..<100_000 { places.take(alone()) { false } }
        let asked = Facts()
        take(alone(), asked)
        places.leave(taken[0])
        #expect(asked.count == 1)
    }

    /// They would overflow the stack if each called the next.
    @Test func thousandsWhoAreDoneAtOnceDoNotNest() {
        let taken = fill()
        let asked = Facts()
        for _ in 0..<100_000 {
            let place = alone()
            places.take(place) { [places] in
                asked.note("asked")
                places.leave(place)
                return true
            }
        }
        places.leave(taken[0])
        #expect(asked.count == 100_000)
    }

    @Test func thoseWhoShareATransferTakeOnePlace() throws {
        let asked = Facts()
        let (one, other) = (try shared("/1"), try shared("/2"))
        for _ in 0..<1000 {
            take(one, asked, "one")
        }
        #expect(asked.count == 1000)
        for _ in 1..<RefreshPlaces.limit { places.take(alone()) { true } }
        for _ in 0..<1000 {
            take(other, asked, "other")
        }
        #expect(asked.count == 1000)
        // Their place is free when the last one has left it; then all of the others ask at once.
        for _ in 1..<1000 { places.leave(one) }
        #expect(asked.count == 1000)
        places.leave(one)
        #expect(asked.count == 2000)
    }

    @Test func aGroupWhoseMembersHaveAllLeftTakesNoPlace() throws {
        let taken = fill()
        let group = try shared("/1")
        for _ in 0..<10 { places.take(group) { false } }
        let asked = Facts()
        take(alone(), asked)
        places.leave(taken[0])
        #expect(asked.count == 1)
        // It is as if they had never been.
        places.leave(taken[1])
        take(group, asked)
        #expect(asked.count == 2)
    }

    @Test func manyMayComeAndGoAtOnce() async throws {
        let groups = [nil, nil, try shared("/1"), try shared("/2")]
        let asked = Facts()
        await withTaskGroup(of: Void.self) { tasks in
            for number in 0..<2000 {
                let place = groups[number % 4] ?? alone()
                tasks.addTask { [places] in
                    await withCheckedContinuation { continuation in
                        places.take(place) {
                            asked.note("asked")
                            continuation.resume()
                            return true
                        }
                    }
                    await Task.yield()
                    places.leave(place)
                }
            }
        }
        #expect(asked.count == 2000)
        // All places are free again.
        for _ in 0..<RefreshPlaces.limit {
            take(alone(), asked)
        }
        #expect(asked.count == 2000 + RefreshPlaces.limit)
    }
}
