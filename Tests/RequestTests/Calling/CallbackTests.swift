import Foundation
import LoopbackServer
import TangoCookies
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct CallbackTests {
    @Test(arguments: [200, 500])
    func successOrFailureRunsOnce(status: Int) async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a", status: status))
        let facts = Facts()
        let call = Fetch<String>(.get("/a"), of: site.client()).start { value, call in
            facts.note("success \(value) \(call.id) \(call.state)")
        } failure: { error, call in
            facts.note("failure \((error as? RequestError)?.code.rawValue ?? "") \(call.id) \(call.state)")
        }
        await facts.reached(count: 1)
        _ = try? await call.value
        let expected =
            status == 200
            ? "success a \(call.id) \(CallState.finished(.success))"
            : "failure badStatus \(call.id) \(CallState.finished(.failure))"
        #expect(facts.all == [expected])
    }

    @Test func callbacksReceiveTheStartedCall() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        let call = Fetch<String>(.get("/a"), of: site.client()).start { _, call in
            facts.note("\(ObjectIdentifier(call).hashValue)")
        }
        await facts.reached(count: 1)
        #expect(facts.all == ["\(ObjectIdentifier(call).hashValue)"])
    }

    /// The closures of `start` that take the call as a parameter.
    enum Arity: CaseIterable { case none, success, failure, both }

    @Test(arguments: Arity.allCases, [200, 500])
    func eachClosureMayOmitTheCall(arity: Arity, status: Int) async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a", status: status))
        let facts = Facts()
        let request = Fetch<String>(.get("/a"), of: site.client())
        let call =
            switch arity {
            case .none:
                request.start {
                    facts.note($0)
                } failure: { _ in
                    facts.note("failure")
                }
            case .success:
                request.start { value, _ in
                    facts.note(value)
                } failure: { _ in
                    facts.note("failure")
                }
            case .failure:
                request.start {
                    facts.note($0)
                } failure: { _, _ in
                    facts.note("failure")
                }
            case .both:
                request.start { value, _ in
                    facts.note(value)
                } failure: { _, _ in
                    facts.note("failure")
                }
            }
        await facts.reached(count: 1)
        _ = try? await call.value
        #expect(facts.all == [status == 200 ? "a" : "failure"])
    }

    @Test @MainActor func eachClosureOnTheMainActorMayOmitTheCall() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        site.server.answer("/b", with: .text("b", status: 500))
        let facts = Facts()
        @MainActor func success() { facts.note("success") }
        @MainActor func failure() { facts.note("failure") }
        for path in ["/a", "/b"] {
            Fetch<String>(.get(path), of: site.client()).start(on: .main) { _ in
                success()
            } failure: { _ in
                failure()
            }
            Fetch<String>(.get(path), of: site.client()).start(on: .main) { _ in
                success()
            } failure: { _, _ in
                failure()
            }
            Fetch<String>(.get(path), of: site.client()).start(on: .main) { _, _ in
                success()
            } failure: { _ in
                failure()
            }
        }
        await facts.reached(count: 6)
        #expect(facts.all.sorted() == Array(repeating: "failure", count: 3) + Array(repeating: "success", count: 3))
    }

    @Test func closuresWithoutTheCallRunOnTheirScheduler() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        let queue = OperationQueue()
        Fetch<String>(.get("/a"), of: site.client()).start(on: .operations(queue)) { value in
            facts.note("\(value) \(OperationQueue.current === queue)")
        }
        await facts.reached(count: 1)
        #expect(facts.all == ["a true"])
    }

    @Test func appendedCallbacksRunInOrderAndAfterTheEnd() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let facts = Facts()
        let call = Fetch<String>(.get("/a"), of: site.client()).start { _, _ in facts.note("0") }
        for number in 1..<10 { call.then { _, _ in facts.note("\(number)") } }
        gate.open()
        await facts.reached(count: 10)
        call.then { value, _ in facts.note("late \(value)") }
        await facts.reached("late a")
        #expect(facts.all == (0..<10).map { "\($0)" } + ["late a"])
    }

    @Test func callbacksRunOnTheirScheduler() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let call = Fetch<String>(.get("/a"), of: site.client(callbackScheduler: .operations(queue)))
            .start { _, _ in facts.note("client's \(OperationQueue.current === queue)") }
        call.then(on: .main) { _, _ in
            MainActor.assertIsolated()
            facts.note("main")
        }
        call.then(on: .background) { _, _ in facts.note("background \(OperationQueue.current === queue)") }
        await facts.reached(count: 3)
        #expect(Set(facts.all) == ["client's true", "main", "background false"])
    }

    @Test func callbacksOnTheMainActorNeedNoAnnotation() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        site.server.answer("/b", with: .status(500))
        let model = Model()
        await model.load(site.client())
        await model.facts.reached(count: 2)
        #expect(await model.name == "a")
        #expect(await model.problem == .badStatus)
    }

    @MainActor final class Model {
        var name = ""
        var problem: RequestError.Code?
        let facts = Facts()

        func load(_ client: Client) {
            Fetch<String>(.get("/a"), of: client).start(on: .main) { name, _ in
                self.name = name
                self.facts.note("name")
            }
            Fetch<String>(.get("/b"), of: client).start(on: .main) { _, _ in
            } failure: { error, _ in
                self.problem = (error as? RequestError)?.code
                self.facts.note("problem")
            }
        }
    }

    @Test func callMayBeRetriedInItsCallback() async throws {
        let site = try Site()
        site.server.enqueue(.status(503), .status(503), .text("a"))
        let facts = Facts()
        Fetch<String>(.get("/a"), of: site.client()).start { value, _ in
            facts.note("success")
        } failure: { _, call in
            facts.note("again")
            call.retry()
        }
        await facts.reached("success")
        #expect(facts.all == ["again", "again", "success"])
    }

    // MARK: User info

    @Test func userInfoIsThreadSafe() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        await withTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    call.userInfo["\(number)"] = number
                    call.userInfo.update { $0["sum"] = ($0["sum"] as? Int ?? 0) + number }
                }
            }
        }
        #expect(call.userInfo.all.count == 101)
        #expect(call.userInfo["sum"] as? Int == 4950)
        #expect(call.userInfo["7"] as? Int == 7)
        call.userInfo["7"] = nil
        #expect(call.userInfo["7"] == nil)
        _ = try await call.value
    }

    @Test func observersReadTheUserInfoOfTheCall() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a").delayed(by: .milliseconds(1)))
        let facts = Facts()
        let client = site.client(
            observers: [
                ClosureObserver { event in
                    if event.word == "willStart" { event.call.userInfo["seen"] = true }
                    if event.word.hasPrefix("finished") { facts.note("\(event.call.userInfo["seen"] ?? false)") }
                }
            ])
        _ = try await Fetch<String>(.get("/a"), of: client).promise.value
        #expect(facts.all == ["true"])
    }

    @Test func descriptionsHaveNoSecrets() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer(with: .text("a").held(by: gate))
        let client = site.client(headers: .bearerAuthorization(token: "secret"))
        let request = Fetch<String>(.get("/a?token=secret", query: ["password": "secret"]), of: client)
        request.fields = ["Cookie": "secret"]
        let call = request.start()
        #expect(!"\(call) \(client) \(client.calls)".contains("secret"))
        #expect("\(call)".contains("GET /a"))
        let named = Fetch<String>(.get("/a"), of: client)
        named.name = "profile"
        let namedCall = named.start()
        #expect(namedCall.name == "profile")
        gate.open()
        _ = try await (call.value, namedCall.value)
    }
}
