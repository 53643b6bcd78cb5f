/// What a type with properties writes its properties into.
struct QueryFieldsContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let codingPath: [any CodingKey]
    let node: QueryNode

    private func put(_ value: (any QueryConvertible)?, _ key: Key) {
        node.field(key.stringValue).content = .value(value?.queryValue ?? .null)
    }

    private func encoder(_ key: any CodingKey, _ node: QueryNode) -> QueryEncoder {
        QueryEncoder(codingPath: codingPath + [key], node: node)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try encoder(key, node.field(key.stringValue)).encode(value)
    }

    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeNil(forKey key: Key) { put(nil, key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(key, node.existingField(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key, node.existingField(key.stringValue)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder(SuperKey(), node.field("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key, node.field(key.stringValue)) }

    func encode(_ value: Bool, forKey key: Key) { put(value, key) }
    func encode(_ value: String, forKey key: Key) { put(value, key) }
    func encode(_ value: Double, forKey key: Key) { put(value, key) }
    func encode(_ value: Float, forKey key: Key) { put(value, key) }
    func encode(_ value: Int, forKey key: Key) { put(value, key) }
    func encode(_ value: Int8, forKey key: Key) { put(value, key) }
    func encode(_ value: Int16, forKey key: Key) { put(value, key) }
    func encode(_ value: Int32, forKey key: Key) { put(value, key) }
    func encode(_ value: Int64, forKey key: Key) { put(value, key) }
    func encode(_ value: Int128, forKey key: Key) { put(value, key) }
    func encode(_ value: UInt, forKey key: Key) { put(value, key) }
    func encode(_ value: UInt8, forKey key: Key) { put(value, key) }
    func encode(_ value: UInt16, forKey key: Key) { put(value, key) }
    func encode(_ value: UInt32, forKey key: Key) { put(value, key) }
    func encode(_ value: UInt64, forKey key: Key) { put(value, key) }
    func encode(_ value: UInt128, forKey key: Key) { put(value, key) }

    // Without these, a nil would be left out before the style of the query is asked.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) { put(value, key) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) { put(value, key) }
}

/// The key of what a base class encodes.
private struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }
    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
