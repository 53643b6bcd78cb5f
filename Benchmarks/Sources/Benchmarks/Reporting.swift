import Foundation
import GrowthSuite
import Harness

/// Runs everything, writes the report, and stores the ratios if the options name their version.
func writeReport(_ options: Options) async throws {
    let suites = suites(options.size)
    var run = Run(suites.flatMap(\.groups), against: .callback(options.size))
    var growth = GrowthRun(growthSuite(options.size))
    try await options.repeat { isWarmUp in
        try await run.round(isWarmUp: isWarmUp)
        try await growth.round(isWarmUp: isWarmUp)
    }
    let (others, remarks) = measurePeers(options)
    if let version = options.version { try Files.store(StoredRatios(version: version, of: run)) }
    try Files.write(
        ReportFiles(
            Report(run, others: others), suites: suites, growth: growth.curves, history: Files.history(),
            circumstances: circumstances(options)))
    remarks.forEach { print($0) }
    print("The report is in \(Files.package.path)/Report.")
}

private func circumstances(_ options: Options) -> String {
    let process = ProcessInfo.processInfo
    let day = Date.now.formatted(.iso8601.year().month().day())
    var loads = [0.0, 0, 0]
    let load =
        getloadavg(&loads, 3) == 3 ? " The load average was \(Format.decimal(loads[2], places: 1)) at its end." : ""
    return "Measured on \(day) in \(options.rounds) rounds, on \(process.operatingSystemVersionString) with "
        + "\(process.activeProcessorCount) cores.\(load)"
}

/// Returns false if a ratio is worse than that of the last version, or if a cost grows without a reason.
func check(_ options: Options) async throws -> Bool {
    let keepsRatios = try await keepsRatios(options)
    var growth = GrowthRun(options.select(growthSuite(options.size)))
    try await options.repeat { try await growth.round(isWarmUp: $0) }
    let grown = growth.curves.unexplained
    grown.remarks.forEach { print("error: \($0)") }
    return keepsRatios && grown.isEmpty
}

/// Compares the ratios with the stored ones of the last version, and returns false if one is worse.
///
/// Rows that seem worse are measured again with twice as many rounds, because a busy machine disturbs some of many rows.
private func keepsRatios(_ options: Options) async throws -> Bool {
    guard let last = try Files.history().last else {
        print("error: No version has stored its ratios: run --report --store VERSION.")
        return false
    }
    let groups = options.select(suites(options.size).flatMap(\.groups)).ofOurTimes
    var keys = Set(last.losses(in: try await ratios(of: groups, options.rounds, options)).map(\.key))
    guard !keys.isEmpty else {
        print("No ratio is worse than that of \(last.version).")
        return true
    }
    print("\(keys.count) ratios seem worse than those of \(last.version), and are measured again.")
    let again = groups.select { keys.contains(StoredRatios.Key(group: $0, row: $1)) }
    let losses = last.losses(in: try await ratios(of: again, 2 * options.rounds, options))
    losses.forEach { print($0.text) }
    keys.subtract(losses.map(\.key))
    if !keys.isEmpty { print("\(keys.count) of them are as good as before.") }
    return losses.isEmpty
}

private func ratios(of groups: [Group], _ rounds: Int, _ options: Options) async throws -> StoredRatios {
    var run = Run(groups, against: .callback(options.size))
    var options = options
    options.rounds = rounds
    try await options.repeat { try await run.round(isWarmUp: $0) }
    return StoredRatios(version: "now", of: run)
}

extension [Group] {
    /// The rows of Tango that measure time.
    fileprivate var ofOurTimes: [Group] {
        compactMap { group in group.filtered { $0.kind == .time && !$0.isComparison } }
    }

    fileprivate func select(_ isSelected: (_ group: String, _ row: String) -> Bool) -> [Group] {
        compactMap { group in group.filtered { isSelected(group.name, $0.name) } }
    }
}
