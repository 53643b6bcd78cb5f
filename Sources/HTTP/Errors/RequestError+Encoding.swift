extension RequestError {
    /// Creates an error for a URL, a query or a body that cannot be encoded.
    package init(_ error: RequestEncodingError) {
        let code: Code =
            switch error.code {
            case .noBase: .noBaseURL
            case .unsupportedValue, .noNames, .tooDeep: .notEncodable
            case .badHeader, .fileMissing, .fileUnreadable, .fileChanged: .badBody
            default: .badURL
            }
        self.init(code, phase: .prepare, detail: error.message, underlying: error)
    }
}
