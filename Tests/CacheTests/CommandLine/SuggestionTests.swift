import Testing

@testable import CacheTool

@Suite struct SuggestionTests {
    @Test(arguments: [
        ("lst", "list"), ("lsit", "list"), ("stat", "stats"), ("purgee", "purge"), ("verfy", "verify"),
        ("shwo", "show"),
    ])
    func similarWordsAreSuggested(_ word: String, _ meant: String) {
        #expect(Suggestion.nearest(to: word, among: Verb.names) == meant)
    }

    @Test(arguments: ["delete", "x", "", "import"])
    func otherWordsAreNotSuggested(_ word: String) {
        #expect(Suggestion.nearest(to: word, among: Verb.names) == nil)
    }

    @Test(arguments: [("", "", 0), ("", "ab", 2), ("ab", "ba", 1), ("abc", "abd", 1), ("kitten", "sitting", 3)])
    func theDistanceCountsLetters(_ one: String, _ other: String, _ distance: Int) {
        #expect(Suggestion.distance(from: one, to: other) == distance)
        #expect(Suggestion.distance(from: other, to: one) == distance)
    }
}
