import TangoPromise

/// Both ways to settle, for rules that hold for values and errors alike.
enum Outcome: String, CaseIterable, Sendable {
    case value, error

    var result: Result<String, any Error> {
        switch self {
        case .value: .success("value")
        case .error: .failure(Oops("error"))
        }
    }
}

extension Promise<String> {
    /// Attaches two handlers that record which of them runs, and with what. The returned promise is fulfilled.
    @discardableResult
    func note(_ name: String = "", in events: Events<String>) -> Promise<Void> {
        then({ value in events.add(name + value) }, { error in events.add(name + ((error as? Oops)?.name ?? "?")) })
    }
}
