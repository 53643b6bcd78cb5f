/// The container into which a type encodes its properties.
struct ValueFieldsContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let codingPath: [any CodingKey]
    let node: ValueNode

    private func encoder(_ key: any CodingKey, _ node: ValueNode) -> ValueEncoder {
        ValueEncoder(codingPath: codingPath + [key], node: node)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try encoder(key, node.field(key.stringValue)).write(value)
    }

    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws { try putIfPresent(value, key) }

    private func putIfPresent(_ value: (some Encodable)?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.field(key.stringValue).content = .absent }
    }

    // The default implementations leave nil out, but a query may write it: see `QueryStyle.Nulls`.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try putIfPresent(value, key) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try putIfPresent(value, key) }

    // The default implementations throw.
    func encode(_ value: Int128, forKey key: Key) { node.field(key.stringValue).content = .leaf(value) }
    func encode(_ value: UInt128, forKey key: Key) { node.field(key.stringValue).content = .leaf(value) }

    func encodeNil(forKey key: Key) { node.field(key.stringValue).content = .leaf(nil) }

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
}

/// The key for the properties of a base class.
private struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }
    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}

/// The container into which a list encodes its elements.
struct ValueArrayContainer: UnkeyedEncodingContainer {
    let codingPath: [any CodingKey]
    let node: ValueNode

    var count: Int { node.count }

    private func encoder() -> ValueEncoder {
        let key = IndexKey(index: count)
        return ValueEncoder(codingPath: codingPath + [key], node: node.element())
    }

    func encode(_ value: some Encodable) throws { try write(value) }

    @inline(never)
    private func write(_ value: any Encodable) throws { try encoder().write(value) }

    func encodeNil() { node.element().content = .leaf(nil) }

    // The default implementations throw.
    func encode(_ value: Int128) { node.element().content = .leaf(value) }
    func encode(_ value: UInt128) { node.element().content = .leaf(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder() }
}

/// The key of an element.
private struct IndexKey: CodingKey {
    let index: Int
    var stringValue: String { "\(index)" }
    var intValue: Int? { index }
    init(index: Int) { self.index = index }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { index = intValue }
}

extension ValueEncoder: SingleValueEncodingContainer {
    private func put(_ value: (any Encodable & Sendable)?) {
        node.content = .leaf(value)
    }

    func encodeNil() { put(nil) }
    func encode(_ value: Bool) { put(value) }
    func encode(_ value: String) { put(value) }
    func encode(_ value: Double) { put(value) }
    func encode(_ value: Float) { put(value) }
    func encode(_ value: Int) { put(value) }
    func encode(_ value: Int8) { put(value) }
    func encode(_ value: Int16) { put(value) }
    func encode(_ value: Int32) { put(value) }
    func encode(_ value: Int64) { put(value) }
    func encode(_ value: Int128) { put(value) }
    func encode(_ value: UInt) { put(value) }
    func encode(_ value: UInt8) { put(value) }
    func encode(_ value: UInt16) { put(value) }
    func encode(_ value: UInt32) { put(value) }
    func encode(_ value: UInt64) { put(value) }
    func encode(_ value: UInt128) { put(value) }
}
