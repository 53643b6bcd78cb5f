#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RequestError: LocalizedError {
    /// What `localizedDescription` shows: the sentence for the user.
    public var errorDescription: String? { message }

    /// The sentence for developers.
    public var failureReason: String? { redaction.redact(text: detail) }
}
