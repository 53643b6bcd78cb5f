/// A response whose bytes are encoded once, for all requests.
final class PreparedResponse: Sendable {
    let response: Response
    /// The bytes for a GET that leaves the connection open; nil if the response has no simple form.
    let simple: Block?
    /// The same for a HEAD.
    let simpleHead: Block?

    init(_ response: Response) {
        self.response = response
        simple = ResponseEncoder(response: response).simple
        simpleHead = simple == nil ? nil : ResponseEncoder(response: response, asked: .init(isHead: true)).simple
    }
}
