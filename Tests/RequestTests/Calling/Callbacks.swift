import TangoRequest

/// Notes that functions have been released: from then on, none of them can run.
///
/// That a callback does not run is only sure once nothing holds it any more. So callbacks capture a marker, the test lets go
/// of the call, waits for the marker, and then looks for what the callbacks have noted.
final class ReleaseMarker: Sendable {
    private let facts: Facts
    private let fact: String

    init(_ facts: Facts, _ fact: String = "callbacks released") {
        self.facts = facts
        self.fact = fact
    }

    deinit {
        facts.note(fact)
    }

    /// What captures the marker calls this, so that it is kept as long as the function is.
    func keep() {}
}

/// The two callbacks of a call that has a text.
typealias Callbacks = (
    success: @Sendable (String, Call<String>) -> Void, failure: @Sendable (any Error, Call<String>) -> Void
)

extension Facts {
    /// Callbacks that note that they run, and when they have been released.
    func callbacks() -> Callbacks {
        let marker = ReleaseMarker(self)
        return (
            { _, _ in
                marker.keep()
                self.note("callback success")
            },
            { _, _ in
                marker.keep()
                self.note("callback failure")
            }
        )
    }

    /// Waits until the callbacks have been released.
    func callbacksAreReleased(count: Int = 1) async {
        await reached { $0.count { $0 == "callbacks released" } >= count }
    }

    /// What callbacks have noted.
    var callbacksRun: [String] { all.filter { $0.hasPrefix("callback ") } }
}
