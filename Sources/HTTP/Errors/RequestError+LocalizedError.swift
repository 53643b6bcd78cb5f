extension RequestError: LocalizedError {
    /// The sentence for the user, which `localizedDescription` returns.
    public var errorDescription: String? { message }

    /// The sentence for developers.
    public var failureReason: String? { redaction.knowing(request, response).redact(text: detail) }
}
