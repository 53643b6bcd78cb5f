import TangoCache

/// The first commands on a connection.
enum Handshake {
    /// A property of the server process.
    struct Result: Sendable {
        /// The identity of the server process. It changes when the server restarts and when another server takes over.
        let run: String
        /// The digests by which the server knows the scripts.
        let scripts: [String]
        /// The time of the server's clock, in microseconds, and a local time at which it had passed.
        let clock: (server: Int64, local: MonotonicTime)

        /// The start of the mark of an index that belongs to the server process.
        let mark: [UInt8]

        init(run: String, scripts: [String], clock: (server: Int64, local: MonotonicTime)) {
            self.run = run
            self.scripts = scripts
            self.clock = clock
            mark = Array("!\(run):".utf8)
        }

        /// Returns the time of the server's clock at which a local deadline has not passed yet.
        func time(at deadline: MonotonicTime) -> Int64 {
            clock.server + (deadline.nanoseconds - clock.local.nanoseconds) / 1_000
        }
    }

    /// Returns the commands that authenticate, select the database, load the scripts, and read the server's identity and clock.
    static func commands(_ configuration: RedisConfiguration) -> Commands {
        var commands = Commands()
        if let password = configuration.password {
            if let name = configuration.username {
                commands.add(["AUTH", name, password].map { Array($0.utf8) })
            } else {
                commands.add(["AUTH", password].map { Array($0.utf8) })
            }
        }
        if configuration.database != 0 { commands.add(["SELECT", "\(configuration.database)"].map { Array($0.utf8) }) }
        for script in Script.allCases { commands.add(["SCRIPT", "LOAD", script.text].map { Array($0.utf8) }) }
        commands.add(["INFO", "server"].map { Array($0.utf8) })
        commands.add(["TIME"].map { Array($0.utf8) })
        return commands
    }

    /// Returns the result of the replies, or throws the reason for which the server cannot be used.
    static func result(_ replies: [Reply]) throws(CacheError) -> Result {
        for case .error(let text) in replies { throw refusal(text) }
        let local = MonotonicTime.now
        guard let time = replies.last?.parts?.compactMap({ $0.text.flatMap { Int64($0) } }), time.count == 2,
            let info = replies.dropLast().last?.text
        else { throw garbled }
        var run: String?
        for line in info.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("run_id:") { run = String(line.dropFirst(7)) }
            if line == "redis_mode:cluster" || line == "redis_mode:sentinel" {
                throw CacheError(
                    .refused,
                    "The server is a cluster or a sentinel, which are not supported. Use the address of a primary.")
            }
        }
        let scripts = replies.dropLast(2).suffix(Script.allCases.count).compactMap(\.text)
        guard let run, !run.isEmpty, scripts.count == Script.allCases.count else { throw garbled }
        return Result(run: run, scripts: scripts, clock: (time[0] &* 1_000_000 &+ time[1], local))
    }

    static let garbled = CacheError(
        .unreachable, "The server's reply is not one of Redis. Check that the port is that of a Redis server.")

    /// Returns the error for a refusal, without secrets.
    static func refusal(_ text: String) -> CacheError {
        let code = text.prefix { !$0.isWhitespace }
        let remedy =
            switch code {
            case "WRONGPASS", "NOAUTH": "Check the user name and the password."
            case "NOPERM": "Allow the user the commands and keys that the documentation of RedisStore lists."
            case "READONLY": "Use the address of the primary, not of a replica."
            case "LOADING": "The server loads its data, and is tried again."
            case "OOM", "MISCONF": "Change maxmemory and the eviction policy of the server, or free memory."
            case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN": "Clusters are not supported. Use a single primary."
            default: "Redis 6.2 or newer, or Valkey, is needed."
            }
        // The rest of the text may repeat arguments of the command.
        return CacheError(.refused, "The Redis server has refused a command with \(code). \(remedy)")
    }
}
