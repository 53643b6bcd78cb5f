import Testing

@testable import TangoCache

@Suite struct CacheKeyTests {
    @Test func textAndItsBytesAreTheSameKey() {
        #expect(CacheKey("abc") == CacheKey(bytes: [97, 98, 99]))
        #expect(CacheKey("abc").hashValue == CacheKey(bytes: [97, 98, 99]).hashValue)
    }

    @Test func textsThatOnlyLookTheSameAreDifferentKeys() {
        #expect(CacheKey("\u{e9}") != CacheKey("e\u{301}"))
    }
}
