import TangoTransport
import Testing

/// The kinds of networks that requests may use.
@Suite(.timeLimit(.minutes(20)))
struct NetworkKindsTests {
    private static let words: [(NetworkKinds, String)] = [
        (.all, "every network"), ([.expensive, .constrained], "every network except cellular networks"),
        ([.cellular], "every network except expensive networks, constrained networks"),
        ([], "every network except cellular networks, expensive networks, constrained networks"),
    ]

    @Test(arguments: words)
    func kindsAreInWords(_ kinds: NetworkKinds, _ text: String) {
        #expect("\(kinds)" == text)
    }

    @Test func errorNamesWhatIsExcluded() {
        #expect(NetworkKinds.all.offlineDetail == nil)
        #expect(
            NetworkKinds([.cellular, .constrained]).offlineDetail
                == "the device has no network that the request may use, because `networks` excludes expensive networks: "
                + "connect it to another network, or allow these")
    }
}
