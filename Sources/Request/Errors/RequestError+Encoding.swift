extension RequestError {
    /// Why a URL, a query or a body could not be made.
    init(_ error: RequestEncodingError) {
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
