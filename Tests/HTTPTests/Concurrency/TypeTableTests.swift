import Dispatch
import Synchronization
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Values that are made once for each type.
struct TypeTableTests {
    private struct One {}
    private struct Two {}

    /// Types that differ in a parameter: as many as a test needs.
    private struct Nested<Inner> {
        static func types(_ count: Int) -> [Any.Type] {
            count == 0 ? [] : [Self.self] + Nested<Nested<Inner>>.types(count - 1)
        }
    }

    @Test func valuesAreMadeOnceForEachType() {
        let table = TypeTable<String>()
        #expect(table.value(for: One.self) { "one" } == "one")
        #expect(table.value(for: Two.self) { "two" } == "two")
        #expect(table.value(for: One.self) { "again" } == "one")
        #expect(table.value(for: Two.self) { "again" } == "two")
    }

    @Test func typesWithoutAPlaceHaveTheirValuesMadeEachTime() {
        let table = TypeTable<String>(count: 1)
        #expect(table.value(for: One.self) { "one" } == "one")
        #expect(table.value(for: Two.self) { "two" } == "two")
        #expect(table.value(for: Two.self) { "again" } == "again")
        #expect(table.value(for: One.self) { "again" } == "one")
    }

    @Test func noTypeGetsTheValueOfAnother() {
        let table = TypeTable<ObjectIdentifier>(count: 16)
        for type in Nested<Int>.types(60) + Nested<Int>.types(60) {
            #expect(table.value(for: type) { ObjectIdentifier(type) } == ObjectIdentifier(type))
        }
    }

    @Test func allThreadsGetTheSameValue() {
        let types = Nested<String>.types(20)
        for _ in 0..<50 {
            let table = TypeTable<Facts>()
            let found = Mutex<[Set<ObjectIdentifier>]>(Array(repeating: [], count: types.count))
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for (place, type) in types.enumerated() {
                    let value = table.value(for: type) { Facts() }
                    found.withLock { _ = $0[place].insert(ObjectIdentifier(value)) }
                }
            }
            #expect(found.withLock { $0.allSatisfy { $0.count == 1 } })
        }
    }
}
