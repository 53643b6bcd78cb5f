/// Who made an output of some bytes, so that nobody takes it for what he would have made of them himself.
struct Maker: Hashable, Sendable {
    let requestType: ObjectIdentifier
    /// The number of the client, whose coders may have been used.
    let client: UInt64
    /// How; nil where that is the same for all requests of a type, as with a model.
    let form: SerializerForm?
}

/// An output, kept in memory beside the bytes that it was made of.
final class Decoded<Output: Sendable>: Sendable {
    let output: Output
    let maker: Maker
    /// Whether the bytes answer only requests with certain headers.
    let varies: Bool

    init(_ output: Output, by maker: Maker, varies: Bool) {
        self.output = output
        self.maker = maker
        self.varies = varies
    }
}
