import Foundation

/// A process that sends requests, for tests that count its descriptors and threads or exhaust them.
///
/// It writes one line for each fact: its name, a space, and its value.
@main struct RequestProcess {
    static func main() async {
        #if os(Linux)
            let arguments = Array(CommandLine.arguments.dropFirst())
            let count = arguments.count > 1 ? Int(arguments[1]) ?? 1 : 1
            do {
                switch arguments.first {
                case "faults": try await faults(rounds: count)
                case "clients": try await clients(count)
                case "many": try await many(count)
                case "exhausted": try await exhausted()
                case "missing": try await missing()
                case "observed": try await observed()
                case "releases": try await releases()
                case "pipes": try await brokenPipes(count)
                case "stopped": try stopped()
                case "signals": signals(count)
                case "trusting": await trusting(arguments)
                case "securePipes": try await secureBrokenPipes(arguments)
                #if URLSessionOnLinux
                    case "fatal": try await fatal(arguments)
                #endif
                case "lookups": try await endlessLookups()
                case "hosts": try await hosts(arguments)
                case "queued": try await queued(count, by: arguments.dropFirst(2).first)
                case "connectivity": try await connectivity()
                case "exit": try await exits(arguments)
                case "recording": try await recording(to: arguments.dropFirst().first ?? "")
                case "drawBars": try await drawBars()
                case "sampleRecording": try await recordSample(to: arguments.dropFirst().first ?? "")
                case "download": try await download(arguments)
                case "downloadAfterSignOut": try await downloadAfterSignOut(arguments)
                case "tokens": try await tokens(at: arguments.dropFirst().first ?? "")
                case "tokenLock": try await tokenLock(at: arguments.dropFirst().first ?? "")
                case "encryptedToken": await encryptedToken(at: arguments.dropFirst().first ?? "")
                case "tokenPolling": try await tokenPolling(at: arguments.dropFirst().first ?? "")
                case "signOutAndExit": try await signOutAndExit(arguments.dropFirst().first ?? "")
                case "tokenCall": try await tokenCall(Array(arguments.dropFirst()))
                case "cookies": try await cookies(in: arguments.dropFirst().first ?? "")
                case "sharedCookies":
                    try await sharedCookies(in: arguments.dropFirst().first ?? "", arguments.dropFirst(2).first ?? "")
                case "signing": try await signing(Array(arguments.dropFirst()))
                case "suffixes": suffixes()
                case "compressedStub": try await compressedStub()
                case "compressedBody": try await compressedBody()
                case "realServers": try await realServers()
                case "leavers": try await leavers(seed: count, by: arguments.dropFirst(2).first)
                default:
                    let roles =
                        "faults|clients|many|exhausted|missing|observed|releases|pipes|stopped|fatal|lookups|queued|connectivity|exit|hosts|recording|sampleRecording|drawBars|tokens|tokenLock|encryptedToken|tokenPolling|signOutAndExit|tokenCall|cookies|sharedCookies|suffixes|compressedStub|compressedBody|signing|leavers|realServers|download|downloadAfterSignOut"
                    tell("usage", "RequestProcess \(roles) [COUNT]")
                }
            } catch {
                tell("error", error)
                exit(1)
            }
            tell("done", "yes")
        #endif
    }
}

func tell(_ name: String, _ value: some Any) {
    FileHandle.standardOutput.write(Data("\(name) \(value)\n".utf8))
}
