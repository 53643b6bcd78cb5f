/// The help of the tool.
enum Help {
    static let overview = """
        tango-cache looks into the folder of a Tango cache, and removes what is not wanted.

        \(commands)

        tango-cache help COMMAND tells the options of a command.
        The application that owns the store may be running.

        \(codes)
        """

    static func of(_ verb: Verb) -> String {
        """
        tango-cache \(verb.rawValue) \(verb.operands)\(verb == .help ? "" : " [options]")

        \(verb.summary)

        \(table(verb.options.map { ($0.form, $0.summary) } + [("--help", "this text")]))

        \(codes)
        """
    }

    private static let commands = table(
        Verb.allCases.map { ("tango-cache \($0.rawValue) \($0.operands)", $0.summary) }
            + [("tango-cache --version", "the version of the tool")])

    private static let codes = """
        Exit codes:
          0  done
          1  nothing matched, or verify found damage
          2  the call is wrong
          3  the store cannot be read or written
          141  the reader of the output has left
        """

    private static func table(_ rows: [(name: String, value: String)]) -> String {
        Table.facts(rows.map { ("  " + $0.name, $0.value) })
    }
}
