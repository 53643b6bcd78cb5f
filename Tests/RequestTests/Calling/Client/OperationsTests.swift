import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct OperationsTests {
    @Test func handlersRunOnTheQueueInOrderAndOneAtATime() async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 8
        let facts = Facts()
        let running = Atomic<Int>(0)
        let promise = Promise.fulfilled(1, on: .operations(queue))
        let links = (0..<200).map { number in
            promise.next { _ in
                #expect(running.add(1, ordering: .relaxed).newValue == 1)
                #expect(OperationQueue.current === queue)
                facts.note("\(number)")
                running.subtract(1, ordering: .relaxed)
            }
        }
        for link in links { try await link.value }
        #expect(facts.all == (0..<200).map { "\($0)" })
    }

    @Test func suspendedQueueHoldsHandlers() async throws {
        let queue = OperationQueue()
        queue.isSuspended = true
        let facts = Facts()
        let link = Promise(1).next(on: .operations(queue)) { _ in facts.note("run") }
        #expect(try await Promise(1).next { $0 }.value == 1)
        #expect(facts.all.isEmpty)
        queue.isSuspended = false
        try await link.value
        #expect(facts.all == ["run"])
    }

    @Test func cancelledOperationStillRunsItsHandler() async throws {
        let queue = OperationQueue()
        queue.isSuspended = true
        let link = Promise(1).next(on: .operations(queue)) { $0 + 1 }
        while queue.operationCount == 0 { await Task.yield() }
        queue.cancelAllOperations()
        queue.isSuspended = false
        #expect(try await link.value == 2)
    }

    @Test func promiseOfARequestHasTheCallbackScheduler() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let queue = OperationQueue()
        let client = site.client(callbackScheduler: .operations(queue))
        let isOnQueue = Fetch<String>(.get("/a"), of: client).promise
            .next { _ in OperationQueue.current === queue }
            .next { $0 && OperationQueue.current === queue }
        #expect(try await isOnQueue.value)
    }

    @Test func currentSchedulerIsTheQueueOfTheOperation() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let (client, queue) = (site.client(), OperationQueue())
        let (isOnQueue, resolver) = Promise<Bool>.pending()
        queue.addOperation {
            client.get("/a", as: String.self).next(on: .current) { _ in OperationQueue.current === queue }
                .next { resolver.fulfill($0) }
        }
        #expect(try await isOnQueue.value)
    }
}
