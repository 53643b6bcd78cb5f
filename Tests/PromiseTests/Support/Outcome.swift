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
    /// Two handlers that note which of them runs, with what. The promise that is returned is fulfilled.
    @discardableResult
    func note(_ name: String = "", in events: Events<String>) -> Promise<Void> {
        then({ value in events.add(name + value) }, { error in events.add(name + ((error as? Oops)?.name ?? "?")) })
    }
}
