/// Who made an output of some bytes, so that nobody takes it for what he would have made of them himself.
struct Maker: Hashable, Sendable {
    let requestType: ObjectIdentifier
    /// The number of the client, whose coders may have been used.
    let client: UInt64
    /// How; nil where that is the same for all requests of a type, as with a model.
    let form: SerializerForm?
}
