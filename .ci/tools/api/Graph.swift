import Foundation

/// The symbol graph of a module: its own declarations, and its extensions of the types of other modules.
struct Graph: Decodable {
    var symbols: [Symbol]
    var relationships: [Relationship]

    /// Reads all files of a module's graph.
    init(of module: String, in folder: String) throws {
        symbols = []
        relationships = []
        for file in Files.all(".symbols.json", below: folder) {
            let name = file.dropFirst(folder.count + 1).dropLast(".symbols.json".count)
            guard name == module || name.hasPrefix("\(module)@") else { continue }
            let part = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
            symbols += part.symbols
            relationships += part.relationships
        }
    }
}

extension Graph {
    struct Symbol: Decodable {
        struct Text: Decodable {
            let identifier: String
        }

        struct Identifier: Decodable {
            let precise: String
        }

        struct Fragment: Decodable {
            let kind: String
            let spelling: String
        }

        struct Generics: Decodable {
            let constraints: [Constraint]?
        }

        struct Extension: Decodable {
            let extendedModule: String
            let constraints: [Constraint]?
        }

        let kind: Text
        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]
        let accessLevel: String
        let swiftGenerics: Generics?
        let swiftExtension: Extension?
        let availability: [Availability]?
    }

    struct Constraint: Decodable, Hashable, CustomStringConvertible {
        let kind: String
        let lhs: String
        let rhs: String

        var description: String { kind == "sameType" ? "\(lhs) == \(rhs)" : "\(lhs) : \(rhs)" }
    }

    struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
        let targetFallback: String?
        let swiftConstraints: [Constraint]?
    }

    struct Availability: Decodable {
        struct Version: Decodable {
            let major: Int
            let minor: Int?

            var text: String { minor.map { "\(major).\($0)" } ?? "\(major)" }
        }

        let domain: String?
        let introduced: Version?
        let deprecated: Version?
        let obsoleted: Version?
        let isUnconditionallyDeprecated: Bool?
        let isUnconditionallyUnavailable: Bool?
        let renamed: String?
        let message: String?

        /// The attribute that stands before the declaration.
        var attribute: String {
            var parts = [domain ?? "*"]
            if let introduced { parts.append("introduced: \(introduced.text)") }
            if isUnconditionallyDeprecated == true { parts.append("deprecated") }
            if let deprecated { parts.append("deprecated: \(deprecated.text)") }
            if let obsoleted { parts.append("obsoleted: \(obsoleted.text)") }
            if isUnconditionallyUnavailable == true { parts.append("unavailable") }
            if let renamed { parts.append("renamed: \"\(renamed)\"") }
            if let message { parts.append("message: \"\(message)\"") }
            return "@available(\(parts.joined(separator: ", ")))"
        }
    }
}
