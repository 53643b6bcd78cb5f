import Harness
import PromiseSuite

do {
    let options = try Options(CommandLine.arguments.dropFirst())
    let groups = options.select(promiseSuite(options.size))
    var run = Run(groups, against: .callback(options.size))
    if options.size == .full { try await run.round(isWarmUp: true) }
    for _ in 0..<options.rounds { try await run.round() }

    var others: [ForeignRow] = []
    var remark: String?
    if options.selects(Node.group) {
        do {
            others = try Node.measure(rounds: options.rounds)
        } catch Node.Failure.absent {
            remark = "Node is not installed: its rows are left out."
        } catch {
            remark = "Node could not run its rows: \(error)"
        }
    }

    if groups.isEmpty, others.isEmpty { remark = "No row matches the filter." }
    let report = Report(run, others: others)
    print(options.printsJSON ? try report.json() : report.text)
    if !options.printsJSON, let remark { print(remark) }
} catch is Options.Unknown {
    print(Options.usage)
}
