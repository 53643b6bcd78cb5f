import CacheSuite
import HTTPSuite
import Harness
import PromiseSuite

do {
    if CommandLine.arguments.dropFirst().first == httpProcessOption {
        try await httpProcess(Array(CommandLine.arguments.dropFirst(2)))
    } else {
        try await run(Options(CommandLine.arguments.dropFirst()))
    }
} catch is Options.Unknown {
    print(Options.usage)
} catch {
    print("A row failed: \(error)")
}
Scratch.remove()

func run(_ options: Options) async throws {
    if options.printsHitRatios {
        print(hitRatios(options.size))
    } else {
        try await report(options)
    }
}

func report(_ options: Options) async throws {
    let groups = options.select(promiseSuite(options.size) + cacheSuite(options.size) + httpSuite(options.size))
    var run = Run(groups, against: .callback(options.size))
    if options.size == .full { try await run.round(isWarmUp: true) }
    for _ in 0..<options.rounds { try await run.round() }

    var others: [ForeignRow] = []
    var remarks: [String] = []
    for peer in [Peer.node, .diskcache] where options.selects(peer.group) {
        do {
            others += try peer.measure(rounds: options.rounds, folder: Scratch.newFolder())
        } catch Peer.Failure.absent {
            remarks.append("\(peer.name) is not installed: its rows are left out.")
        } catch {
            remarks.append("\(peer.name) could not run its rows: \(error)")
        }
    }

    if groups.isEmpty, others.isEmpty { remarks = ["No row matches the filter."] }
    let report = Report(run, others: others)
    print(options.printsJSON ? try report.json() : report.text)
    if !options.printsJSON { remarks.forEach { print($0) } }
}
