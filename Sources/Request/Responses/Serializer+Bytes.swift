#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Serializer where Output == Data {
    /// The body as it is.
    public static var data: Self { Self { response in response.body }.of(.data) }
}

extension Serializer where Output == Void {
    /// Nothing: whatever body there is, is left unread.
    public static var empty: Self { Self { _ in }.of(.empty) }
}

extension Serializer where Output == HTTPResponse {
    /// The response itself.
    public static var response: Self { Self { response in response } }
}
