import TangoRequest

@testable import TestSupport

/// A marker that records the release of the closures that capture it. A released closure cannot run any more.
///
/// Only a released callback is certain never to run. So callbacks capture a marker. The test releases the call, waits
/// for the release of the marker, and then checks what the callbacks recorded.
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

    /// Called by the closures that capture the marker, so that it lives as long as they do.
    func keep() {}
}

/// The success and failure callbacks of a call with a text as output.
typealias Callbacks = (
    success: @Sendable (String, Call<String>) -> Void, failure: @Sendable (any Error, Call<String>) -> Void
)

extension Facts {
    /// Returns callbacks that record their runs and their release.
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

    /// The recorded runs of callbacks.
    var callbacksRun: [String] { all.filter { $0.hasPrefix("callback ") } }
}
