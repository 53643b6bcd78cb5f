#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Copies what a value encodes into a tree of plain values, on the thread that has the value.
///
/// A query is made of the tree, and a JSON literal keeps it until the request is sent. The encoder is also its single-value
/// container, and what `encode(to:)` is given: a place in the tree, and the path to it.
struct ValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    let node: ValueNode

    /// The greatest depth of a value. A deeper one most likely contains itself.
    static let deepest = 100

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The tree of a value.
    ///
    /// - Throws: A ``RequestEncodingError`` if the value is nested too deeply, and what its `encode(to:)` throws.
    static func encode(_ value: some Encodable) throws -> ValueNode {
        let node = ValueNode()
        try ValueEncoder(codingPath: [], node: node).encode(value)
        return node
    }

    /// The tree of a type that has a form of its own in queries, and is encoded as it encodes itself nevertheless.
    static func encodeItself(_ value: some Encodable) throws -> ValueNode {
        let node = ValueNode()
        try value.encode(to: ValueEncoder(codingPath: [], node: node))
        return node
    }

    /// Encodes a value at this place.
    func encode(_ value: some Encodable) throws {
        guard codingPath.count <= Self.deepest else {
            throw RequestEncodingError.tooDeep(codingPath.prefix(3).map(\.stringValue).joined(separator: "."))
        }
        switch value {
        // Coders have forms of their own for these.
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
final class ValueNode {
    enum Content {
        case none
        /// A property that is nil.
        case absent
        /// A value that coders write as it is, or nil.
        case leaf((any Encodable & Sendable)?)
        case fields([(name: String, node: ValueNode)])
        case array([ValueNode])
    }

    var content = Content.none
    /// Whether the fields are those of a dictionary, whose keys a coder does not change.
    var isDictionary = false

    /// Makes room for fields or elements, unless there is such already.
    func become(_ empty: Content) {
        switch (content, empty) {
        case (.fields, .fields), (.array, .array): break
        default: content = empty
        }
    }

    /// The node of a name. A name that is encoded twice has the later value, in the place of the first.
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

    /// The node of a name that may be encoded in several steps.
    func existingField(_ name: String) -> ValueNode {
        if case .fields(let fields) = content, let field = fields.first(where: { $0.name == name }) {
            return field.node
        }
        return field(name)
    }

    /// The node of a new element.
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
        if case .fields(let fields) = content { content = .fields(fields.sorted { $0.name < $1.name }) }
    }
}

/// A dictionary, whose names have another order in every process.
private protocol AnyDictionary {}
extension Dictionary: AnyDictionary {}

/// A dictionary whose keys coders leave as they are.
private protocol StringDictionary {}
extension Dictionary: StringDictionary where Key == String {}
