import Foundation

// The conformances are in this module, because TangoPromise does not import Foundation.

extension PromiseError: LocalizedError {
    /// The sentence that `localizedDescription` returns.
    public var errorDescription: String? { description }
}

extension AggregateError: LocalizedError {
    /// The text that `localizedDescription` returns: a sentence, and a line for each error.
    public var errorDescription: String? {
        guard !errors.isEmpty else { return description }
        let list = errors.map { "\n- \($0.localizedDescription)" }.joined()
        return "All promises failed:\(list)"
    }
}
