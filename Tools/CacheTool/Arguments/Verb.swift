/// The commands of the tool with their help.
enum Verb: String, CaseIterable, Sendable {
    case stats, list, show, verify, purge, help

    static let names = allCases.map(\.rawValue)

    var summary: String {
        switch self {
        case .stats: "what the store holds, and what its folder holds"
        case .list: "the entries, without their bodies"
        case .show: "one entry, and its body if wanted"
        case .verify: "reads everything, and finds what is damaged"
        case .purge: "removes entries"
        case .help: "tells about the tool, or about a command"
        }
    }

    /// The arguments after the name, without the options.
    var operands: String {
        switch self {
        case .stats, .list, .verify: "FOLDER"
        case .show: "FOLDER KEY"
        case .purge: "FOLDER [KEY...]"
        case .help: "[COMMAND]"
        }
    }

    var options: [Option] {
        let json = Option("--json", "one JSON document instead of text")
        switch self {
        case .stats: return [json]
        case .list:
            return [
                Option("--sort", takes: "FIELD", "key, size, written or expires; the order of the store if not given"),
                Option("--reverse", "the other way round"),
                Option("--prefix", takes: "TEXT", "those whose key begins with it"),
                Option("--tag", takes: "TAG", "those that have the tag"),
                Option("--larger-than", takes: "SIZE", "those with larger bodies: 500, 10k, 5MB, 2GiB"),
                Option("--older-than", takes: "TIME", "those written longer ago: 90s, 10m, 2h, 7d"),
                Option("--expired", "those that have expired and are not removed yet"),
                Option("--pinned", "those that are pinned"),
                Option("--limit", takes: "COUNT", "not more than so many"),
                Option("--hex", "the prefix is in hexadecimal"), json,
            ]
        case .show:
            return [
                Option("--body", "the body, as it is, instead of what is known about it"),
                Option("--output", takes: "FILE", "writes the body to a file"),
                Option("--hex", "the key is in hexadecimal"), json,
            ]
        case .verify:
            return [Option("--repair", "removes what is damaged"), json]
        case .purge:
            return [
                Option("--all", "everything"),
                Option("--expired", "what has expired"),
                Option("--prefix", takes: "TEXT", "entries whose key begins with it"),
                Option("--tag", takes: "TAG", "entries that have the tag"),
                Option("--older-than", takes: "TIME", "entries written longer ago: 90s, 10m, 2h, 7d"),
                Option("--dry-run", "says what would be removed, and removes nothing"),
                Option("--hex", "the keys, or the prefix, are in hexadecimal"), json,
            ]
        case .help: return []
        }
    }
}
