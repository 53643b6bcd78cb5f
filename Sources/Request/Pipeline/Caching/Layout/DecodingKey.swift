/// Identifies how an output was decoded. Another request uses the output only if it would decode it in the same way.
struct DecodingKey: Hashable, Sendable {
    let requestType: ObjectIdentifier
    /// The number of the client, because its coders may have been used.
    let client: UInt64
    /// The form of the serializer; nil if it is the same for all requests of a type, as with a model.
    let form: SerializerForm?
}
