import Dispatch
import TangoPromise
import Testing

/// Promises/A+ 2.3.2: a link whose handler returns a promise settles with the outcome of that promise.
@Suite(.noHang) struct AdoptionTests {
    /// The API that returns the promise.
    enum Door: CaseIterable, Sendable {
        case next, thenForValues, thenForErrors, recover, follow, task

        func adopt(_ inner: Promise<String>, on scheduler: Scheduler) -> Promise<String> {
            let value = Promise<String>.fulfilled("outer", on: scheduler)
            let error = Oops("outer")
            return switch self {
            case .next: value.next { _ in inner }
            case .thenForValues: value.then({ _ in inner }, { _ in Promise("never") })
            case .thenForErrors:
                Promise<String>.rejected(error, on: scheduler).then({ _ in Promise("never") }, { _ in inner })
            case .recover: Promise<String>.rejected(error, on: scheduler).recover { _ in inner }
            case .follow: Promise(on: scheduler) { $0.follow(inner) }
            case .task: value.next(on: .task) { _ in inner }
            }
        }
    }

    @Test(arguments: Door.allCases, Setting.all)
    func aValueIsAdopted(door: Door, setting: Setting) async throws {
        let (inner, settle) = setting.promise(Outcome.value.result)
        let link = door.adopt(inner, on: setting.place.scheduler)
        settle()
        #expect(try await link.value == "value")
    }

    @Test(arguments: Door.allCases, Setting.all)
    func anErrorIsAdopted(door: Door, setting: Setting) async {
        let (inner, settle) = setting.promise(Outcome.error.result)
        let link = door.adopt(inner, on: setting.place.scheduler)
        settle()
        #expect(await link.result.error() == Oops("error"))
    }

    @Test(arguments: Door.allCases, Timing.allCases)
    func aCancellationIsAdopted(door: Door, timing: Timing) async {
        let (inner, settle) = timing.promise(Result<String, any Error>.failure(CancellationError()))
        let link = door.adopt(inner, on: .background)
        settle()
        await #expect(throws: CancellationError.self) { try await link.value }
    }

    @Test(arguments: Door.allCases, Place.allCases)
    func aLinkWaitsAsLongAsTheReturnedPromiseIsPending(door: Door, place: Place) async throws {
        let events = Events<String>()
        let scheduler = place.scheduler
        let (inner, resolver) = Promise<String>.pending(on: scheduler)
        let link = door.adopt(inner, on: scheduler)
        let end = link.tap { events.add($0) }
        // The link's handler has run once this has gone the same way.
        _ = try await door.adopt(.fulfilled("other"), on: scheduler).value
        events.add("settling")
        resolver.fulfill("value")
        #expect(try await end.value == "value")
        #expect(events.all == ["settling", "value"])
    }

    @Test(arguments: Outcome.allCases, Setting.all)
    func manyAdoptOnePromise(outcome: Outcome, setting: Setting) async {
        let (inner, settle) = setting.promise(outcome.result)
        let links = (0..<10).map { _ in Promise(on: setting.place.scheduler) { $0.follow(inner) } }
        settle()
        for link in links {
            let result = await link.result
            #expect((try? result.get()) == (try? outcome.result.get()))
            #expect(result.error(as: Oops.self) == outcome.result.error())
        }
    }

    @Test(arguments: Place.allCases)
    func aHandlerMayReturnThePromiseItIsAttachedTo(place: Place) async throws {
        let promise = Promise<String>.fulfilled("value", on: place.scheduler)
        #expect(try await promise.next { _ in promise }.next { _ in promise }.value == "value")
    }
}
