import TangoCache

extension Command {
    /// Parses the arguments after the name of the tool.
    init(_ arguments: [String]) throws {
        guard let first = arguments.first else {
            throw UsageError("tell what to do: \(Verb.names.joined(separator: ", ")).")
        }
        if ["--help", "-h"].contains(first) {
            self = .help(nil)
            return
        }
        if first == "--version" {
            self = .version
            return
        }
        guard !first.hasPrefix("-") else {
            throw UsageError(
                "the command comes first, and options follow it: \(Verb.names.joined(separator: ", ")), --help or "
                    + "--version, not \(first).")
        }
        guard let verb = Verb(rawValue: first) else {
            // An address may contain a password, so it is not repeated.
            guard !first.contains("://") else {
                throw UsageError(
                    "the command comes first, and the store follows it: \(Verb.names.joined(separator: ", ")).")
            }
            throw UsageError("there is no command \(first)\(Suggestion.question(first, among: Verb.names))")
        }
        let rest = Array(arguments.dropFirst())
        if rest.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
            self = .help(verb)
            return
        }
        self = try Self.read(try Arguments(rest, for: verb), for: verb)
    }

    private static func read(_ arguments: Arguments, for verb: Verb) throws -> Command {
        if verb == .help {
            try expect(arguments.operands.count <= 1, verb)
            guard let name = arguments.operands.first else { return .help(nil) }
            guard let verb = Verb(rawValue: name) else {
                throw UsageError("there is no command \(name)\(Suggestion.question(name, among: Verb.names))")
            }
            return .help(verb)
        }
        guard let folder = arguments.operands.first, !folder.isEmpty else {
            throw UsageError("tell the folder of the store: tango-cache \(verb.rawValue) \(verb.operands).")
        }
        let operands = Array(arguments.operands.dropFirst())
        let json = arguments.has("--json")
        switch verb {
        case .stats:
            try expect(operands.isEmpty, verb)
            return .stats(folder: folder, json: json)
        case .list:
            try expect(operands.isEmpty, verb)
            return .list(folder: folder, try Listing(arguments), json: json)
        case .show:
            guard operands.count == 1 else { throw UsageError("tell one key: tango-cache show FOLDER KEY.") }
            let showing = Showing(body: arguments.has("--body"), output: arguments.value("--output"))
            return .show(folder: folder, try key(operands[0], arguments), showing, json: json)
        case .verify:
            try expect(operands.isEmpty, verb)
            return .verify(folder: folder, repair: arguments.has("--repair"), json: json)
        case .purge: return .purge(folder: folder, try Purge(arguments, keys: operands), json: json)
        case .help: return .help(nil)
        }
    }

    private static func expect(_ isRight: Bool, _ verb: Verb) throws {
        guard isRight else {
            throw UsageError("that is too much: tango-cache \(verb.rawValue) \(verb.operands), and options.")
        }
    }

    /// Returns the key in an argument.
    static func key(_ text: String, _ arguments: Arguments) throws -> CacheKey {
        arguments.has("--hex") ? try CacheKey(hexadecimal: text) : CacheKey(text)
    }
}

extension Listing {
    init(_ arguments: Arguments) throws {
        filter.prefix = try arguments.value("--prefix").map { try Command.key($0, arguments) }
        filter.tag = arguments.value("--tag")
        filter.largerThan = try arguments.value("--larger-than", Quantity.size)
        filter.olderThan = try arguments.value("--older-than", Quantity.time)
        filter.isExpired = arguments.has("--expired")
        filter.isPinned = arguments.has("--pinned")
        isReversed = arguments.has("--reverse")
        order = try arguments.value("--sort") { text, option in
            let names = Order.allCases.map(\.rawValue)
            guard let order = Order(rawValue: text) else {
                throw UsageError("\(option) takes \(names.joined(separator: ", ")), not \"\(text)\".")
            }
            return order
        }
        limit = try arguments.value("--limit") { text, option in
            guard let limit = Int(text), limit > 0 else {
                throw UsageError("\(option) takes a number from 1, not \"\(text)\".")
            }
            return limit
        }
    }
}

extension Purge {
    init(_ arguments: Arguments, keys: [String]) throws {
        var choices: [Choice] = []
        if arguments.has("--all") { choices.append(.all) }
        if arguments.has("--expired") { choices.append(.expired) }
        if let prefix = arguments.value("--prefix") { choices.append(.prefix(try Command.key(prefix, arguments))) }
        if let tag = arguments.value("--tag") { choices.append(.tag(tag)) }
        if let age = try arguments.value("--older-than", Quantity.time) { choices.append(.olderThan(age)) }
        if !keys.isEmpty { choices.append(.keys(try keys.map { try Command.key($0, arguments) })) }
        guard let choice = choices.first, choices.count == 1 else {
            throw UsageError(
                choices.isEmpty
                    ? "tell what to remove: --all, --expired, --prefix TEXT, --tag TAG, --older-than TIME, or keys."
                    : "choose one of --all, --expired, --prefix, --tag, --older-than, and keys.")
        }
        self.init(choice: choice, isDryRun: arguments.has("--dry-run"))
    }
}
