/// Copies the encoded form of a value into a tree of plain values, on the current thread.
///
/// A query is built from the tree. A JSON literal stores the tree until the request is sent. The encoder has a place in
/// the tree and the path to it, and is its own single-value container.
struct ValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    let node: ValueNode

    /// The greatest depth of a value. A deeper one most likely contains itself.
    static let deepest = 100

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns the tree of a value.
    ///
    /// - Throws: An error if the value is nested too deeply, and any error that its `encode(to:)`
    ///   throws.
    static func encode(_ value: some Encodable) throws -> ValueNode {
        let node = ValueNode()
        try ValueEncoder(codingPath: [], node: node).write(value)
        return node
    }

    /// Returns the tree of a ``QueryConvertible`` value in the form that it encodes.
    static func encodeItself(_ value: some Encodable) throws -> ValueNode {
        let node = ValueNode()
        try value.encode(to: ValueEncoder(codingPath: [], node: node))
        return node
    }

    /// Encodes a value at this place of the tree.
    func encode(_ value: some Encodable) throws { try write(value) }

    // Not generic: the compiler would make a copy for each type that its containers encode.
    @inline(never)
    func write(_ value: any Encodable) throws {
        guard codingPath.count <= Self.deepest else {
            throw RequestEncodingError.tooDeep(codingPath.prefix(3).map(\.stringValue).joined(separator: "."))
        }
        switch value {
        // Each coder has its own format for these types.
        case let value as Date: node.content = .leaf(value)
        case let value as URL: node.content = .leaf(value)
        case let value as Data: node.content = .leaf(value)
        case let value as Decimal: node.content = .leaf(value)
        default:
            try value.encode(to: self)
            if value is any AnyDictionary { node.sort() }
            if value is any StringDictionary { node.isDictionary = true }
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.become(.fields([]))
        return KeyedEncodingContainer(ValueFieldsContainer<Key>(codingPath: codingPath, node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.become(.array([]))
        return ValueArrayContainer(codingPath: codingPath, node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

/// A place in the tree that a ``ValueEncoder`` builds.
///
/// The containers of an encoder are references, so this is a class.
final class ValueNode: @unchecked Sendable {
    // Unchecked: a node changes only while its value is encoded, on one thread.
    enum Content {
        case none
        /// A property that is nil.
        case absent
        /// A value that coders write directly, or nil.
        case leaf((any Encodable & Sendable)?)
        case fields([(name: String, node: ValueNode)])
        case array([ValueNode])
    }

    var content = Content.none
    /// A Boolean value that indicates whether the fields are those of a dictionary, whose keys a coder does not change.
    var isDictionary = false

    /// Sets the content to empty fields or elements, unless it has the same kind already.
    func become(_ empty: Content) {
        switch (content, empty) {
        case (.fields, .fields), (.array, .array): break
        default: content = empty
        }
    }

    /// Returns a new node for a name. If a name is encoded twice, the later value replaces the first, in the same
    /// position.
    func field(_ name: String) -> ValueNode {
        let node = ValueNode()
        var fields: [(name: String, node: ValueNode)] = []
        if case .fields(let known) = content { fields = known }
        content = .none
        if let index = fields.firstIndex(where: { $0.name == name }) {
            fields[index].node = node
        } else {
            fields.append((name, node))
        }
        content = .fields(fields)
        return node
    }

    /// Returns the node of a name, which may be encoded in several steps.
    func existingField(_ name: String) -> ValueNode {
        if case .fields(let fields) = content, let field = fields.first(where: { $0.name == name }) {
            return field.node
        }
        return field(name)
    }

    /// Returns the node for a new element.
    func element() -> ValueNode {
        let node = ValueNode()
        var elements: [ValueNode] = []
        if case .array(let known) = content { elements = known }
        content = .none
        elements.append(node)
        content = .array(elements)
        return node
    }

    var count: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    func sort() {
        if case .fields(let fields) = content { content = .fields(fields.ordered { $0.name < $1.name }) }
    }
}

/// A dictionary, whose order differs in every process.
private protocol AnyDictionary {}
extension Dictionary: AnyDictionary {}

/// A dictionary whose keys coders do not change.
private protocol StringDictionary {}
extension Dictionary: StringDictionary where Key == String {}
