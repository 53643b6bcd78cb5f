import Foundation

/// The public declarations of a module as text: one line each, grouped by type and extension.
///
/// A symbol graph does not tell that a type is `~Copyable`, nor that an overload is disfavored.
struct Listing {
    private let symbols: [String: Graph.Symbol]
    private var blocks: [String: Block] = [:]

    /// A type or an extension with its members.
    private struct Block {
        /// The first line, up to the name and its generic parameters.
        var head: String
        var superclass: String?
        var conformances: Set<String> = []
        var constraints = ""
        var members: Set<Member> = []
        /// The key of the sort order, which puts the extensions of a type below it.
        var order: [String]

        var text: String {
            let inherited = (superclass.map { [$0] } ?? []) + conformances.sorted()
            let line = head + (inherited.isEmpty ? "" : " : \(inherited.joined(separator: ", "))") + constraints
            return ([line] + members.sorted().map { "    \($0.text)" }).joined(separator: "\n") + "\n"
        }
    }

    private struct Member: Hashable, Comparable {
        let rank: Int
        let name: String
        let text: String

        static func < (one: Member, other: Member) -> Bool {
            (one.rank, one.name, one.text) < (other.rank, other.name, other.text)
        }
    }

    private static let types: Set = ["swift.class", "swift.struct", "swift.enum", "swift.actor", "swift.protocol"]

    /// The kinds of members, in the order in which they are listed.
    private static let ranks = [
        "swift.macro", "swift.associatedtype", "swift.typealias", "swift.enum.case", "swift.init", "swift.var",
        "swift.type.property", "swift.property", "swift.type.subscript", "swift.subscript", "swift.func",
        "swift.type.method", "swift.method", "swift.func.op", "swift.deinit",
    ]

    /// Conformances that follow from others, or that all types have.
    private static let implied: Set = ["Escapable", "SendableMetatype"]

    init(_ graph: Graph) {
        symbols = Dictionary(graph.symbols.map { ($0.identifier.precise, $0) }) { one, _ in one }
        let requirements = Set(
            graph.relationships.filter { $0.kind.hasSuffix("equirementOf") }.map(\.source))
        var parents: [String: String] = [:]
        for relationship in graph.relationships
        where relationship.kind == "memberOf" || relationship.kind.hasSuffix("equirementOf") {
            parents[relationship.source] = relationship.target
        }
        // A default implementation is a member of the protocol of its requirement.
        for relationship in graph.relationships where relationship.kind == "defaultImplementationOf" {
            parents[relationship.source] = parents[relationship.source] ?? parents[relationship.target]
        }
        for symbol in graph.symbols { addType(symbol) }
        for relationship in graph.relationships { addInheritance(relationship) }
        for symbol in graph.symbols {
            let id = symbol.identifier.precise
            addMember(symbol, of: parents[id].flatMap { symbols[$0] }, isRequirement: requirements.contains(id))
        }
    }

    var text: String {
        blocks.values.sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.text).joined(separator: "\n")
    }

    var isEmpty: Bool { blocks.isEmpty }

    // MARK: Types and extensions

    private mutating func addType(_ symbol: Graph.Symbol) {
        guard Self.types.contains(symbol.kind.identifier) else { return }
        let (head, inherited, constraints) = Self.split(declaration(of: symbol, named: symbol.path))
        blocks[symbol.path] = Block(
            head: head, conformances: inherited, constraints: constraints, order: [symbol.path])
    }

    /// Returns the key of the block of an extension, and adds the block if it is missing.
    private mutating func extend(_ type: String, where constraints: [String]) -> String {
        let text = constraints.isEmpty ? "" : " where \(constraints.joined(separator: ", "))"
        let key = "extension \(type)\(text)"
        if blocks[key] == nil {
            blocks[key] = Block(head: "extension \(type)", constraints: text, order: [type, "extension", text])
        }
        return key
    }

    private mutating func addInheritance(_ relationship: Graph.Relationship) {
        guard let source = symbols[relationship.source] else { return }
        let target = symbols[relationship.target]?.path ?? Self.withoutModule(relationship.targetFallback ?? "")
        switch relationship.kind {
        case "inheritsFrom": blocks[source.path]?.superclass = target
        case "conformsTo":
            let known = own(source)
            let constraints = (relationship.swiftConstraints ?? [])
                .filter { $0.rhs != "Escapable" && !known.contains($0.description) }.map(\.description)
            let isExtension = source.kind.identifier == "swift.extension"
            if target.isEmpty || Self.implied.contains(target) { return }
            if target == "Copyable", isExtension || constraints.isEmpty { return }
            let block =
                isExtension || !constraints.isEmpty
                ? extend(name(ofExtended: source), where: constraints + self.constraints(of: source)) : source.path
            blocks[block]?.conformances.insert(target)
        default: break
        }
    }

    /// The name of a type, qualified if the type is of another module.
    private func name(ofExtended symbol: Graph.Symbol) -> String {
        guard symbol.kind.identifier == "swift.extension", let module = symbol.swiftExtension?.extendedModule else {
            return symbol.path
        }
        return "\(module.hasPrefix("Foundation") ? "Foundation" : module).\(symbol.path)"
    }

    /// The constraints of the extension that contains a symbol, without those that the type itself has.
    private func constraints(of symbol: Graph.Symbol, in type: Graph.Symbol? = nil) -> [String] {
        let all = (symbol.swiftExtension?.constraints ?? []).map(\.description)
        guard let type, type.kind.identifier != "swift.extension" else { return all }
        let known = own(type)
        return all.filter { !known.contains($0) }
    }

    private func own(_ type: Graph.Symbol) -> Set<String> {
        Set((type.swiftGenerics?.constraints ?? []).map(\.description))
    }

    // MARK: Members

    private mutating func addMember(_ symbol: Graph.Symbol, of parent: Graph.Symbol?, isRequirement: Bool) {
        guard let rank = Self.ranks.firstIndex(of: symbol.kind.identifier) else { return }
        let block: String
        if let parent, symbol.swiftExtension != nil {
            let constraints = constraints(of: symbol, in: parent)
            let isInExtension =
                !constraints.isEmpty || parent.kind.identifier == "swift.extension"
                || parent.kind.identifier == "swift.protocol" && !isRequirement
            block = isInExtension ? extend(name(ofExtended: parent), where: constraints) : parent.path
        } else if let parent {
            block = parent.path
        } else {
            block = ""
            if blocks[block] == nil { blocks[block] = Block(head: "module", order: [""]) }
        }
        let member = Member(
            rank: rank, name: symbol.pathComponents.last ?? "", text: declaration(of: symbol, in: parent))
        blocks[block]?.members.insert(member)
    }

    // MARK: Declarations

    private func declaration(
        of symbol: Graph.Symbol, named name: String? = nil, in parent: Graph.Symbol? = nil
    ) -> String {
        var isNamed = name == nil
        let text = symbol.declarationFragments.map { fragment in
            guard !isNamed, fragment.kind == "identifier" else { return fragment.spelling }
            isNamed = true
            return name ?? fragment.spelling
        }.joined().replacing(/\s*\n\s*/, with: " ")
        let missing = constraints(missingIn: text, symbol, parent)
        let attributes = (symbol.availability ?? []).map { "\($0.attribute) " }.sorted().joined()
        return attributes + (symbol.accessLevel == "open" ? "open " : "") + text
            + (missing.isEmpty ? "" : (text.contains(" where ") ? ", " : " where ") + missing.joined(separator: ", "))
    }

    /// The constraints that the fragments of the declaration leave out, such as `Element` of a `some Sequence<Element>`.
    private func constraints(missingIn text: String, _ symbol: Graph.Symbol, _ parent: Graph.Symbol?) -> [String] {
        let known = Set((symbol.swiftExtension?.constraints ?? []).map(\.description)).union(parent.map(own) ?? [])
        return (symbol.swiftGenerics?.constraints ?? []).filter { constraint in
            let isOpaque = constraint.lhs.hasPrefix("some ") || constraint.lhs.contains(/^\(some .*</)
            return !isOpaque && !known.contains(constraint.description) && !text.contains(constraint.description)
        }.map(\.description)
    }

    /// Splits the declaration of a type. Only those of protocols name inherited types.
    private static func split(_ declaration: String) -> (head: String, inherited: Set<String>, constraints: String) {
        let place = declaration.firstRange(of: " where ")?.lowerBound ?? declaration.endIndex
        let parts = declaration[..<place].split(separator: " : ", maxSplits: 1)
        let inherited = parts.dropFirst().flatMap { $0.split(separator: ", ") }.map(String.init)
        return (String(parts.first ?? ""), Set(inherited), String(declaration[place...]))
    }

    private static func withoutModule(_ name: String) -> String {
        name.split(separator: ".").dropFirst().joined(separator: ".")
    }
}

extension Graph.Symbol {
    fileprivate var path: String { pathComponents.joined(separator: ".") }
}
