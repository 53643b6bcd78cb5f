/// An error whose description shows no values.
package protocol DescribedError: Error, CustomStringConvertible {}

extension RequestError: DescribedError {}
extension DecodingProblem: DescribedError {}

/// The text for an error of any type inside the description of another error.
///
/// It contains no values, because these may come from a body. It also lacks the numbers and addresses in the standard
/// description of an error.
package enum ErrorText {
    package static func of(_ error: any Error) -> String {
        switch error {
        case let error as any DescribedError: error.description
        case let error as RequestEncodingError: error.message
        case let error as EncodingError: error.words
        case let error as DecodingError: error.words
        case let error as POSIXError: "POSIXError \(error.code.rawValue)"
        case is CancellationError: "it was cancelled"
        case let error as any LocalizedError:
            error.errorDescription.map { "\(name(of: error)): \($0)" } ?? name(of: error)
        default: name(of: error)
        }
    }

    /// Returns the text of an error without the secrets that it shows by itself, such as those in a URL.
    package static func redacted(_ error: any Error) -> String { Redaction.standard.redact(text: of(error)) }

    /// Returns the type of an error. An enumeration has its case, `UploadError.tooSmall`, and an error of the system
    /// its code, `URLError -1009`.
    private static func name(of error: any Error) -> String {
        let type = "\(type(of: error))"
        // Errors of the system have no Swift type, but an informative domain.
        if type.hasPrefix("NS") || type.hasPrefix("__NS") { return "\(error._domain) \(error._code)" }
        let mirror = Mirror(reflecting: error)
        if let system = mirror.descendant("_nsError") as? any Error { return "\(type) \(system._code)" }
        guard mirror.displayStyle == .enum else { return type }
        // A case with a payload has a label, which is its name. The payload may contain values, and so may a
        // description.
        if let label = mirror.children.first?.label { return "\(type).\(label)" }
        return (error as Any) is any CustomStringConvertible ? type : "\(type).\(error)"
    }

    /// Removes the addresses by which Swift distinguishes private types.
    static func withoutAddresses(_ text: String) -> String {
        text.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
    }
}

extension EncodingError {
    fileprivate var words: String {
        switch self {
        case .invalidValue(let value, let context):
            "a value of \(type(of: value)) at \(context.codingPath.place) cannot be encoded"
        @unknown default: "a value cannot be encoded"
        }
    }
}

extension DecodingError {
    fileprivate var words: String {
        switch self {
        case .typeMismatch(let type, let context): "\(type) was expected at \(context.codingPath.place)"
        case .valueNotFound(let type, let context):
            "\(type) was expected at \(context.codingPath.place), and null was found"
        case .keyNotFound(let key, let context): "\((context.codingPath + [key]).text) is missing"
        case .dataCorrupted(let context): "the data at \(context.codingPath.place) cannot be decoded"
        @unknown default: "the data cannot be decoded"
        }
    }
}

extension [any CodingKey] {
    fileprivate var place: String { isEmpty ? "the top" : text }
}
