import Harness
import PromiseSuite

do {
    let options = try Options(CommandLine.arguments.dropFirst())
    let groups = options.select(promiseSuite(options.size))
    var run = Run(groups, against: .callback(options.size))
    if options.size == .full { try await run.round(isWarmUp: true) }
    for _ in 0..<options.rounds { try await run.round() }
    let report = Report(run)
    print(options.printsJSON ? try report.json() : report.text)
} catch is Options.Unknown {
    print(Options.usage)
}
