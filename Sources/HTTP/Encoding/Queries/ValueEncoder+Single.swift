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
