#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Turns what a type encodes into a value of a query.
///
/// It is what encoders call a container, too, and so is what `encode(to:)` is given: an encoder is a place in the tree
/// that is being built, and the path to it.
struct QueryEncoder: Encoder {
    let codingPath: [any CodingKey]
    let node: QueryNode

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The value of what a type encodes.
    static func encode(_ value: some Encodable) throws -> QueryValue {
        let node = QueryNode()
        try QueryEncoder(codingPath: [], node: node).encode(value)
        return node.value
    }

    /// The same for a place that cannot throw: the error is thrown when the query is written.
    ///
    /// The type encodes itself, even if the query has a form of its own for it, which this is asked for.
    static func value(of value: some Encodable) -> QueryValue {
        let node = QueryNode()
        do {
            try value.encode(to: QueryEncoder(codingPath: [], node: node))
            return node.value
        } catch let error as RequestEncodingError {
            return .unsupported(reason: "one that cannot be encoded: \(error.message)")
        } catch {
            return .unsupported(reason: "one that cannot be encoded: \(error)")
        }
    }

    /// Encodes a value at this place.
    func encode(_ value: some Encodable) throws {
        guard codingPath.count <= QueryWriter.deepest else {
            throw RequestEncodingError.tooDeep(codingPath.prefix(3).map(\.stringValue).joined(separator: "."))
        }
        // What encodes itself in a way that suits no query.
        switch value {
        case let value as Date: node.content = .value(value.queryValue)
        case let value as URL: node.content = .value(value.queryValue)
        case let value as Data: node.content = .value(value.queryValue)
        case let value as Decimal: node.content = .value(value.queryValue)
        default:
            try value.encode(to: self)
            if value is any Unordered { node.sort() }
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.become(.fields([]))
        return KeyedEncodingContainer(QueryFieldsContainer<Key>(codingPath: codingPath, node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.become(.array([]))
        return QueryArrayContainer(codingPath: codingPath, node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// The encoder for a place further down.
    func inner(_ key: any CodingKey, _ node: QueryNode) -> QueryEncoder {
        QueryEncoder(codingPath: codingPath + [key], node: node)
    }
}

/// A place in the tree that an encoder builds.
///
/// The containers of an encoder are references, so this is a class.
final class QueryNode {
    enum Content {
        case none
        case value(QueryValue)
        case fields([(name: String, node: QueryNode)])
        case array([QueryNode])
    }

    var content = Content.none

    /// Makes room for fields or elements, unless there is such already.
    func become(_ empty: Content) {
        switch (content, empty) {
        case (.fields, .fields), (.array, .array): break
        default: content = empty
        }
    }

    /// The node of a name. A name that is encoded twice has the later value, in the place of the first.
    func field(_ name: String) -> QueryNode {
        let node = QueryNode()
        var fields: [(name: String, node: QueryNode)] = []
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
    func existingField(_ name: String) -> QueryNode {
        if case .fields(let fields) = content, let field = fields.first(where: { $0.name == name }) {
            return field.node
        }
        return field(name)
    }

    /// The node of a new element.
    func element() -> QueryNode {
        let node = QueryNode()
        var elements: [QueryNode] = []
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

    var value: QueryValue {
        switch content {
        case .none: .fields(Query())
        case .value(let value): value
        case .fields(let fields): .fields(Query(fields: fields.map { .init(name: $0.name, value: $0.node.value) }))
        case .array(let elements): .array(elements.map(\.value))
        }
    }
}

/// A type whose names have another order in every process.
private protocol Unordered {}
extension Dictionary: Unordered {}
