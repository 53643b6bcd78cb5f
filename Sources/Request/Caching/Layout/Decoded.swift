/// Identifies how an output was made. Another request uses the output only if it would make it in the same way.
struct Maker: Hashable, Sendable {
    let requestType: ObjectIdentifier
    /// The number of the client, because its coders may have been used.
    let client: UInt64
    /// The form of the serializer; nil if it is the same for all requests of a type, as with a model.
    let form: SerializerForm?
}

/// An output that memory holds beside the bytes that it was made of.
final class Decoded<Output: Sendable>: Sendable {
    let output: Output
    let maker: Maker
    /// A Boolean value that indicates whether the response matches only requests with certain headers.
    let varies: Bool

    init(_ output: Output, by maker: Maker, varies: Bool) {
        self.output = output
        self.maker = maker
        self.varies = varies
    }
}
