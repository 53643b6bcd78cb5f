/// A type that has a value for a response without a body, such as 204.
///
/// Decoding any other type from an empty body throws ``RequestError/Code/emptyResponse``.
///
/// ```swift
/// struct Receipt: Decodable, EmptyBodyRepresentable {
///     var number: Int?
///     static var emptyBody: Receipt { Receipt() }
/// }
/// ```
public protocol EmptyBodyRepresentable {
    /// The value for an empty body.
    static var emptyBody: Self { get }
}

extension Optional: EmptyBodyRepresentable {
    public static var emptyBody: Wrapped? { nil }
}

extension HTTPResponse {
    /// A Boolean value that indicates whether the body is empty or contains only white space.
    var hasBlankBody: Bool {
        body.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }

    /// A Boolean value that indicates whether such a response never has a body.
    package var isBodiless: Bool {
        status == .noContent || status == .resetContent || status == .notModified || request?.method == .head
    }

    /// Returns the value of a type for an empty body; nil if it has none.
    static func emptyBody<Output>(_ type: Output.Type) -> Output? {
        guard let type = Output.self as? any EmptyBodyRepresentable.Type else { return nil }
        return type.emptyBody as? Output
    }
}
