/// The report for readers: a page in Markdown with plots, each a file beside it.
public struct ReportFiles {
    /// Groups that share a plot.
    public struct Suite: Sendable {
        public let name: String
        public let groups: [Group]

        public init(_ name: String, _ groups: [Group]) {
            self.name = name
            self.groups = groups
        }
    }

    let report: Report
    let suites: [Suite]
    let growth: [GrowthCurve]
    let history: [StoredRatios]
    let circumstances: String

    /// - Parameters:
    ///   - report: The table of all rows.
    ///   - suites: The groups of the run.
    ///   - growth: The costs at several sizes.
    ///   - history: The ratios of all versions, oldest first.
    ///   - circumstances: A sentence about the machine and the run.
    public init(
        _ report: Report, suites: [Suite], growth: [GrowthCurve], history: [StoredRatios], circumstances: String
    ) {
        self.report = report
        self.suites = suites
        self.growth = growth
        self.history = history
        self.circumstances = circumstances
    }

    /// The content of each file, by its name.
    public var contents: [String: String] {
        var contents = ["README.md": page, "growth.svg": growth.plot, "history.svg": history.plot]
        for suite in suites {
            contents[file(of: suite)] = report.run.ratioPlot(of: Set(suite.groups.map(\.name)))
        }
        return contents
    }

    private func file(of suite: Suite) -> String { "ratios-\(suite.name.lowercased()).svg" }

    private var page: String {
        """
        # Report of the benchmarks

        \(circumstances) `swift run -c release Benchmarks --report` wrote this page. The [README](../README.md) describes the rows.

        ## Ratios

        Each dot is the median of the ratios of a row to its reference, over all rounds. Its bar reaches from quartile to quartile.
        Left is better. A red line is a goal that the row must meet. Gray rows do the same by other means, for comparison.

        \(suites.map { "### \($0.name)\n\n![The ratios of the rows](\(file(of: $0)))" }.joined(separator: "\n\n"))

        ## Costs that grow

        Each panel is one operation beside more and more of something, in processor time of all threads. A dashed line shows linear
        growth. A curve is red if its exponent is 0.3 or more.

        ![The cost of operations beside more and more of something](growth.svg)

        ```
        \(growth.table)```

        \(growth.remarks.map { "- \($0)\n" }.joined())
        ## History

        The ratios at each version, as the files in [History](../History) store them. A line that falls became faster.

        ![The ratios of the rows at each version](history.svg)

        ## All rows

        ```
        \(report.text)```

        """
    }
}
