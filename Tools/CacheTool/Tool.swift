import TangoCache

/// The tool without its process.
public enum Tool {
    /// The version of the tool, which is that of the package.
    static let version = "0.1.0"

    /// The name of the tool that opens folders. Texts have it, and ``ToolOpener/name`` replaces it.
    static let name = "tango-cache"

    /// Runs the tool.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the name of the tool.
    ///   - console: The input and output.
    ///   - opener: Opens the stores.
    public static func run(
        _ arguments: [String], on console: Console, opening opener: some ToolOpener = FolderOpener()
    ) async -> ExitCode {
        do {
            return try await run(try Command(arguments), on: console, opener)
        } catch let error as UsageError {
            console.complain("\(error.message.printable)\nTry: tango-cache help".replacing(name, with: opener.name))
            return .usage
        } catch let error as OutputError where error.isPipeClosed {
            return .closedPipe
        } catch let error as CacheError {
            console.complain(error.message.printable)
            return .unusable
        } catch {
            console.complain("\(error)")
            return .unusable
        }
    }

    private static func run(_ command: Command, on console: Console, _ opener: some ToolOpener) async throws -> ExitCode
    {
        switch command {
        case .help(let verb):
            let help =
                verb.map(Help.of) ?? [Help.overview, opener.help].filter { !$0.isEmpty }.joined(separator: "\n\n")
            try console.print(help.replacing(name, with: opener.name))
            return .done
        case .version:
            try console.print("\(opener.name) \(version)")
            return .done
        case .stats(let folder, let json):
            return try await Session.use(folder, console, opener) { try await $0.stats(json: json) }
        case .list(let folder, let listing, let json):
            return try await Session.use(folder, console, opener) { try await $0.list(listing, json: json) }
        case .show(let folder, let key, let showing, let json):
            return try await Session.use(folder, console, opener) { try await $0.show(key, showing, json: json) }
        case .verify(let folder, let repair, let json):
            return try await Session.verify(folder, console, opener, repair: repair, json: json)
        case .purge(let folder, let purge, let json):
            return try await Session.use(folder, console, opener) { try await $0.purge(purge, json: json) }
        }
    }
}
