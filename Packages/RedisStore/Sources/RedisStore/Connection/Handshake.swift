import TangoCache

/// The first commands on a connection.
enum Handshake {
    /// The time of the server's clock, in microseconds, and a local time at which it had passed.
    typealias Clock = (server: Int64, local: MonotonicTime)

    /// A property of the server process.
    struct Result: Sendable {
        /// The identity of the server process. It changes when the server restarts and when another server takes over.
        let run: String
        /// The digests by which the server knows the scripts.
        let scripts: [String]
        var clock: Clock

        /// The start of the mark of an index that belongs to the server process.
        let mark: [UInt8]

        init(run: String, scripts: [String], clock: Clock) {
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

    /// Returns the commands that authenticate, select the database, load the scripts, and read the server's identity, role
    /// and clock. The last one of a feed subscribes to changes.
    static func commands(_ configuration: RedisConfiguration, isFeed: Bool = false) -> Commands {
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
        // Redis 6 takes one section at a time.
        commands.add(["INFO", "server"].map { Array($0.utf8) })
        commands.add(["INFO", "replication"].map { Array($0.utf8) })
        commands.add(["TIME"].map { Array($0.utf8) })
        if isFeed { commands.add([Array("SUBSCRIBE".utf8), Names(configuration).channel]) }
        return commands
    }

    /// Returns the result of the replies, or throws the reason for which the server cannot be used.
    static func result(_ replies: [Reply], isFeed: Bool = false) throws(CacheError) -> Result {
        for case .error(let text) in replies { throw Refusal(text: text).error }
        var replies = replies
        if isFeed, replies.popLast()?.parts?.first?.text != "subscribe" { throw garbled }
        guard let time = replies.popLast(), let replication = replies.popLast()?.text,
            let info = replies.popLast()?.text
        else { throw garbled }
        let clock = try clock(time)
        let roles = replication.split(whereSeparator: \.isNewline)
        if roles.contains("role:slave"), roles.contains("slave_read_only:1") {
            throw CacheError(.refused, "The server is a replica. Use an address that follows the primary.")
        }
        var run: String?
        for line in info.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("run_id:") { run = String(line.dropFirst(7)) }
            // Newer versions of Valkey have the second name.
            let mode = ["redis_mode:", "server_mode:"].first { line.hasPrefix($0) }.map { line.dropFirst($0.count) }
            if mode == "cluster" || mode == "sentinel" {
                throw CacheError(
                    .refused,
                    "The server is a cluster or a sentinel, which are not supported. Use the address of a primary.")
            }
        }
        let scripts = replies.suffix(Script.allCases.count).compactMap(\.text)
        guard let run, !run.isEmpty, scripts.count == Script.allCases.count else { throw garbled }
        return Result(run: run, scripts: scripts, clock: clock)
    }

    /// Returns the clock after a reply to TIME that has just arrived.
    static func clock(_ reply: Reply) throws(CacheError) -> Clock {
        let local = MonotonicTime.now
        guard let time = reply.parts?.compactMap({ $0.text.flatMap { Int64($0) } }), time.count == 2 else {
            throw garbled
        }
        return (time[0] &* 1_000_000 &+ time[1], local)
    }

    static let garbled = CacheError(
        .unreachable, "The server's reply is not one of Redis. Check that the port is that of a Redis server.")
}
