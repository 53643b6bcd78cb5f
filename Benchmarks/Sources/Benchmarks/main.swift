import CacheSuite
import Foundation
import GrowthSuite
import HTTPSuite
import Harness
import PromiseSuite

var isGood = true
do {
    if CommandLine.arguments.dropFirst().first == httpProcessOption {
        try await httpProcess(Array(CommandLine.arguments.dropFirst(2)))
    } else {
        isGood = try await run(Options(CommandLine.arguments.dropFirst()))
    }
} catch is Options.Unknown {
    print(Options.usage)
    isGood = false
} catch {
    print("error: A row failed: \(error)")
    isGood = false
}
Scratch.remove()
exit(isGood ? 0 : 1)

/// Returns false if a check failed.
func run(_ options: Options) async throws -> Bool {
    switch options.output {
    case .rows: try await printRows(options)
    case .growth: try await printGrowth(options)
    case .hitRatios: print(hitRatios(options.size))
    case .report: try await writeReport(options)
    case .check: return try await check(options)
    }
    return true
}

func suites(_ size: Size) -> [ReportFiles.Suite] {
    [
        ReportFiles.Suite("Promises", promiseSuite(size)), ReportFiles.Suite("Stores", cacheSuite(size)),
        ReportFiles.Suite("Requests", httpSuite(size)),
    ]
}

func printRows(_ options: Options) async throws {
    let groups = options.select(suites(options.size).flatMap(\.groups))
    var run = Run(groups, against: .callback(options.size))
    try await options.repeat { try await run.round(isWarmUp: $0) }
    let (others, remarks) = measurePeers(options)
    let report = Report(run, others: others)
    print(options.printsJSON ? try report.json() : report.text)
    if groups.isEmpty, others.isEmpty { print("No row matches the filter.") }
    if !options.printsJSON { remarks.forEach { print($0) } }
}

/// Runs the programs of others, and explains which of them are missing.
func measurePeers(_ options: Options) -> ([ForeignRow], remarks: [String]) {
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
    return (others, remarks)
}

func printGrowth(_ options: Options) async throws {
    var run = GrowthRun(options.select(growthSuite(options.size)))
    try await options.repeat { try await run.round(isWarmUp: $0) }
    print(run.curves.table)
    run.curves.remarks.forEach { print($0) }
}
