import Foundation
import TangoCache

/// A process that uses a store, for tests that stop it, kill it, or fill its volume.
@main struct CacheProcess {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else {
            Journal.say(
                "usage: CacheProcess load|sample|full|crowd|frozen|golden|steps|missing|shared|signing FOLDER [...]")
            exit(64)
        }
        let folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        var rest = Array(arguments.dropFirst(2))
        if arguments[0] == "steps" { rest = Steps(folder).starve(rest) }
        Task { [rest] in
            await run(arguments[0], folder, rest)
            // Not `exit`: releasing a store is not part of the test.
            _exit(0)
        }
        dispatchMain()
    }

    private static func run(_ command: String, _ folder: URL, _ rest: [String]) async {
        do {
            switch command {
            case "load": try await Load(folder, rest).run()
            case "sample": try await Specimens.write(to: folder, isClosed: rest.first == "closed")
            case "full": try await FullVolume(folder, isLimited: rest.first == "limit").run()
            case "crowd": try await FullVolume(folder, isLimited: true).crowd()
            case "frozen": try await FrozenFolder(folder).run()
            case "golden": try await Specimens.writeGolden(to: folder)
            case "signing": try await Signing(folder, rest).run()
            case "shared": try await SharedSnippets.run()
            case "steps": await Steps(folder).run(rest)
            case "missing": try await MissingLibrary(folder).run()
            default: Journal.say("! unknown command \(command)")
            }
        } catch {
            Journal.say("! \(error)")
            exit(1)
        }
    }
}
