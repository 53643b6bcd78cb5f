import Harness
import PromiseSuite

do {
    let options = try Options(CommandLine.arguments.dropFirst())
    var run = Run(options.select(promiseSuite(options.size)), against: .callback(options.size))
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

    let report = Report(run, others: others)
    print(options.printsJSON ? try report.json() : report.text)
    if !options.printsJSON, let remark { print(remark) }
} catch is Options.Unknown {
    print(Options.usage)
}
