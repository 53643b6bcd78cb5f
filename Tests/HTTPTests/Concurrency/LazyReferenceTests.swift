import Dispatch
import Synchronization
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// References to objects that are made at their first use.
struct LazyReferenceTests {
    /// An object that notes its end.
    private final class Object: Sendable {
        private let ended: Facts

        init(_ ended: Facts) {
            self.ended = ended
        }

        deinit { ended.note("ended") }
    }

    private final class Owner: Sendable {
        let reference = LazyReference<Object>()
    }

    @Test func objectIsMadeOnceAndReleasedWithItsOwner() {
        let ended = Facts()
        func use(_ owner: Owner) {
            #expect(owner.reference.loaded == nil)
            let first = owner.reference.object { Object(ended) }
            #expect(owner.reference.object { Object(ended) } === first)
            #expect(owner.reference.loaded === first)
            #expect(ended.count == 0)
        }
        use(Owner())
        #expect(ended.count == 1)
    }

    /// As with two threads that make an object at once: the second one gets the object of the first.
    @Test func objectThatWasMadeTooLateIsReleased() {
        let ended = Facts()
        let owner = Owner()
        var first: Object?
        let second = owner.reference.object {
            first = owner.reference.object { Object(ended) }
            return Object(ended)
        }
        #expect(second === first)
        #expect(ended.count == 1)
    }

    @Test func allThreadsGetTheSameObject() {
        for _ in 0..<100 {
            let owner = Owner()
            let found = Mutex<Set<ObjectIdentifier>>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let object = owner.reference.object { Object(Facts()) }
                found.withLock { _ = $0.insert(ObjectIdentifier(object)) }
            }
            #expect(found.withLock(\.count) == 1)
        }
    }
}
