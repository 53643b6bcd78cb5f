/// The container into which a type encodes its properties.
struct ValueFieldsContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let codingPath: [any CodingKey]
    let node: ValueNode

    private func put(_ value: (any Encodable & Sendable)?, _ key: Key) {
        node.field(key.stringValue).content = .leaf(value)
    }

    private func putIfPresent(_ value: (any Encodable & Sendable)?, _ key: Key) {
        node.field(key.stringValue).content = value.map { .leaf($0) } ?? .absent
    }

    private func encoder(_ key: any CodingKey, _ node: ValueNode) -> ValueEncoder {
        ValueEncoder(codingPath: codingPath + [key], node: node)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try encoder(key, node.field(key.stringValue)).encode(value)
    }

    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { putIfPresent(nil, key) }
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

    // The default implementations leave nil out, but a query may write it: see `QueryStyle.Nulls`.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) { putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) { putIfPresent(value, key) }
}

/// The key for the properties of a base class.
private struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }
    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
