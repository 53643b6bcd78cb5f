// A handler that does not say `on: .main` cannot touch the main actor's state.
import TangoPromise

@MainActor final class Title {
    var text = ""

    func load() {
        Promise("a").next { self.text = $0 }  // error: main actor-isolated property 'text' can not be mutated
    }
}
