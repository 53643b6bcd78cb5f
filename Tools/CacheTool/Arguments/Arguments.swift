/// The parsed arguments of a command.
struct Arguments: Equatable {
    /// The arguments that are not options, in order.
    private(set) var operands: [String] = []

    private var values: [String: String] = [:]

    /// Parses the arguments after the name of a command. Arguments after `--` are not options.
    init(_ arguments: [String], for verb: Verb) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let option = try Self.option(parts[0], of: verb)
            guard values[option.name] == nil else { throw UsageError("\(option.name) is given twice.") }
            values[option.name] = try Self.value(of: option, given: parts.dropFirst().first, &rest)
        }
    }

    private static func option(_ name: String, of verb: Verb) throws -> Option {
        if let option = verb.options.first(where: { $0.name == name }) { return option }
        let question = Suggestion.question(name, among: verb.options.map(\.name) + ["--help"])
        throw UsageError("\(verb.rawValue) has no option \(name)\(question)")
    }

    private static func value(of option: Option, given: String?, _ rest: inout ArraySlice<String>) throws -> String {
        guard let placeholder = option.value else {
            guard given == nil else { throw UsageError("\(option.name) takes no value.") }
            return ""
        }
        if let given { return given }
        guard let value = rest.first, !value.hasPrefix("--") else {
            throw UsageError("\(option.name) needs a value: \(option.name) \(placeholder).")
        }
        rest.removeFirst()
        return value
    }

    /// Returns whether an option is given.
    func has(_ option: String) -> Bool {
        values[option] != nil
    }

    /// Returns the value of an option, or nil if it is not given.
    func value(_ option: String) -> String? {
        values[option]
    }

    /// Returns the converted value of an option, or nil if it is not given.
    func value<Value>(_ option: String, _ make: (String, String) throws -> Value) throws -> Value? {
        try values[option].map { try make($0, option) }
    }
}
