/// A type that has a value for a response without a body, such as 204.
///
/// Other types than these, and than `Void`, cannot be made of nothing: ``RequestError/Code/emptyResponse`` is thrown.
///
/// ```swift
/// struct Receipt: Decodable, EmptyBodyRepresentable {
///     var number: Int?
///     static var emptyBody: Receipt { Receipt() }
/// }
/// ```
public protocol EmptyBodyRepresentable {
    /// What stands for a body that is not there.
    static var emptyBody: Self { get }
}

extension Optional: EmptyBodyRepresentable {
    public static var emptyBody: Wrapped? { nil }
}

extension HTTPResponse {
    /// Whether there is nothing to decode: no bytes at all, or nothing but white space.
    var hasBlankBody: Bool {
        body.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }

    /// Whether the response is one that never has a body.
    var isBodiless: Bool {
        status == .noContent || status == .resetContent || status == .notModified || request?.method == .head
    }

    /// What a type is when there is no body; nil where it has no such value.
    static func emptyBody<Output>(_ type: Output.Type) -> Output? {
        guard let type = Output.self as? any EmptyBodyRepresentable.Type else { return nil }
        return type.emptyBody as? Output
    }
}
