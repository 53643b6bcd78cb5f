import Dispatch
import TangoPromise
import Testing

/// Promises/A+ 2.3.4: any value that is not a promise, however empty, large or strange.
@Suite(.noHang) struct PlainValuesTests {
    @Test(arguments: Setting.all)
    func nothing(setting: Setting) async throws {
        try await expectSame(Int?.none, setting) { $0 == nil }
        try await expectSame(Int??.some(.none), setting) { $0 != nil && $0! == nil }
        try await expectSame((), setting) { _ in true }
    }

    @Test(arguments: Setting.all)
    func falseAndZero(setting: Setting) async throws {
        try await expectSame(0, setting) { $0 == 0 }
        try await expectSame(false, setting) { $0 == false }
        try await expectSame("", setting) { $0.isEmpty }
        try await expectSame([Int](), setting) { $0.isEmpty }
        try await expectSame(-0.0, setting) { $0 == 0 && $0.sign == .minus }
        try await expectSame(Double.nan, setting) { $0.isNaN }
    }

    @Test(arguments: Setting.all)
    func objects(setting: Setting) async throws {
        let object = Object()
        try await expectSame(object, setting) { $0 === object }
        try await expectSame(Object?.some(object), setting) { $0 === object }
        try await expectSame(object as any Sendable, setting) { $0 as? Object === object }
        let weak = WeakReference(object: object)
        try await expectSame(weak, setting) { $0.object === object }
        try await expectSame((weak, 1, weak), setting) { $0.0.object === object && $0.2.object === object }
    }

    @Test(arguments: Setting.all)
    func functions(setting: Setting) async throws {
        let object = Object()
        try await expectSame({ @Sendable in object }, setting) { $0() === object }
        try await expectSame({ @Sendable (number: Int) in number + 1 }, setting) { $0(1) == 2 }
    }

    @Test(arguments: Setting.all)
    func tuplesAndWideStructs(setting: Setting) async throws {
        try await expectSame((1, "two"), setting) { $0 == (1, "two") }
        try await expectSame((1, "two", 3.0, [4], true), setting) { $0 == (1, "two", 3.0, [4], true) }
        try await expectSame(TenWords(), setting) { $0 == TenWords() }
        try await expectSame(SIMD2<Double>(1, 2), setting) { $0 == SIMD2(1, 2) }
    }

    @Test(arguments: Setting.all)
    func errorsAndResultsAsValues(setting: Setting) async throws {
        try await expectSame(Oops("a value"), setting) { $0 == Oops("a value") }
        try await expectSame(Oops("a value") as any Error, setting) { $0 as? Oops == Oops("a value") }
        try await expectSame(Result<Int, Oops>.failure(Oops("a value")), setting) { $0 == .failure(Oops("a value")) }
    }

    @Test(arguments: Setting.all)
    func anOptionalPromiseIsAValue(setting: Setting) async throws {
        let inner = Promise(1)
        try await expectSame(Promise<Int>?.some(inner), setting) { $0 === inner }
        try await expectSame(Promise<Int>?.none, setting) { $0 == nil }
    }

    @Test func aPromiseMayBeFulfilledWithAPromise() async throws {
        let inner = Promise(1)
        #expect(try await Promise<Promise<Int>>.fulfilled(inner).value === inner)
        let (promise, resolver) = Promise<Promise<Int>>.pending()
        resolver.fulfill(inner)
        #expect(try await promise.next { $0 }.value == 1)
    }

    @Test func aResolverIsAValue() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let given = Promise<Resolver<Int>>.fulfilled(resolver)
        given.next { $0.fulfill(7) }
        #expect(try await promise.value == 7)
    }

    @Test(arguments: Setting.all)
    func aVectorWithAnAlignmentOfItsOwn(setting: Setting) async throws {
        let vector = SIMD8<Double>(0, 1, 2, 3, 4, 5, 6, 7)
        let (promise, settle) = setting.promise(Result<SIMD8<Double>, any Error>.success(vector))
        let link = promise.next { $0 + 1 }.catch { _ in }
        let adopted = link.next { _ in link }
        settle()
        #expect(try await promise.value == vector)
        #expect(try await link.value == vector + 1)
        #expect(try await adopted.value == vector + 1)
    }

    /// Fulfils a promise with a value in every way.
    private func expectSame<Value: Sendable>(
        _ value: Value, _ setting: Setting, _ location: SourceLocation = #_sourceLocation,
        _ isSame: @escaping @Sendable (Value) -> Bool
    ) async throws {
        let (promise, settle) = setting.promise(Result<Value, any Error>.success(value))
        let returned = promise.next { $0 }
        let passed = promise.catch { _ in }.finally {}
        let adopted = promise.next { _ in promise }
        let recovered = promise.next { (_: Value) -> Value in throw Oops() }.recover { _ in value }
        let followed = Promise<Value>(on: setting.place.scheduler) { $0.follow(promise) }
        let awaited = Promise<Value> { try await promise.value }
        let all = Promise.all(promise, returned)
        let many = Promise.all([promise, returned])
        let seen = promise.next { isSame($0) }
        settle()
        for door in [promise, returned, passed, adopted, recovered, followed, awaited, .race([promise])] {
            #expect(isSame(try await door.value), sourceLocation: location)
        }
        let (first, second) = try await all.value
        #expect(isSame(first) && isSame(second), sourceLocation: location)
        #expect(try await many.value.allSatisfy(isSame), sourceLocation: location)
        #expect(try await seen.value, sourceLocation: location)
    }
}

private final class Object: Sendable {}

/// Must not be moved as bytes: the runtime stores the address of a weak reference.
private struct WeakReference: Sendable {
    weak let object: Object?
}

private struct TenWords: Equatable, Sendable {
    var name = "ten words", list = [1, 2, 3]
    var a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7
}
