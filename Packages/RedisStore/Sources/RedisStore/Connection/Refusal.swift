import TangoCache

/// The text with which the server has refused a command, such as `READONLY You can't write against a read only replica.`
struct Refusal {
    let text: String

    /// The first word, such as `READONLY`.
    ///
    /// Redis 6 refuses a command of a script with `ERR Error running script (…): @user_script:1: -READONLY …`.
    var code: Substring {
        let first = text.prefix { !$0.isWhitespace }
        guard first == "ERR", text.hasPrefix("ERR Error running script") else { return first }
        let inner = text.split(separator: " ").first { $0.hasPrefix("-") }?.dropFirst() ?? ""
        return inner.isEmpty || !inner.allSatisfy { $0.isASCII && $0.isUppercase } ? first : inner
    }

    /// A Boolean value that indicates whether the server is a replica. Then the primary is reached over other connections.
    var isOfReplica: Bool { code == "READONLY" || code == "MASTERDOWN" }

    /// The error for the refusal, without secrets: the rest of the text may repeat arguments of the command.
    var error: CacheError {
        if code == "WRONGTYPE" {
            return CacheError(
                .refused, "A key of the store has the type of another program. Use another prefix, or remove the key.")
        }
        return CacheError(.refused, "The Redis server has refused a command with \(code). \(remedy)")
    }

    private var remedy: String {
        switch code {
        case "WRONGPASS", "NOAUTH": "Check the user name and the password."
        case "NOPERM": Self.rights
        case "READONLY", "MASTERDOWN": "Use the address of the primary, not of a replica."
        case "LOADING": "The server loads its data, and is tried again."
        case "BUSY": "A script of another program blocks the server. Wait for its end, or end it with SCRIPT KILL."
        case "OOM": "Change maxmemory and the eviction policy of the server, or free memory."
        case "MISCONF": "The server cannot save its data to its disk. Look at the log of the server."
        case "NOREPLICAS": "The server has too few replicas. Look at its setting min-replicas-to-write."
        case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN": "Clusters are not supported. Use a single primary."
        case "ERR": remedyOfGeneralError
        default: "Look at the log of the server."
        }
    }

    /// Errors without a code of their own differ in their text only, which depends on the version of the server.
    private var remedyOfGeneralError: String {
        let text = text.lowercased()
        func mentions(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }
        // A script may lack the right to run a command, or to publish.
        if mentions("the user executing the script", "acl failure in script") { return Self.rights }
        if mentions("db index") {
            return "The server has no database with this number. Use a lower one, such as 0."
        }
        if mentions("unknown command", "unknown redis command", "unknown subcommand", "syntax error") {
            return "Redis 6.2 or newer, or Valkey, is needed."
        }
        return "Look at the log of the server."
    }

    private static let rights =
        "Allow the user the commands, keys and channels that the documentation of RedisStore lists."
}
