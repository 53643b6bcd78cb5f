/// The container into which a list encodes its elements.
struct ValueArrayContainer: UnkeyedEncodingContainer {
    let codingPath: [any CodingKey]
    let node: ValueNode

    var count: Int { node.count }

    private func put(_ value: (any Encodable & Sendable)?) {
        node.element().content = .leaf(value)
    }

    private func encoder() -> ValueEncoder {
        let key = IndexKey(index: count)
        return ValueEncoder(codingPath: codingPath + [key], node: node.element())
    }

    func encode(_ value: some Encodable) throws { try encoder().encode(value) }
    func encodeNil() { put(nil) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder() }

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

/// The key of an element.
private struct IndexKey: CodingKey {
    let index: Int
    var stringValue: String { "\(index)" }
    var intValue: Int? { index }
    init(index: Int) { self.index = index }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { index = intValue }
}
