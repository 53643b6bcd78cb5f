/// The rows of a waterfall and the time that they show: all that a drawing needs.
struct WaterfallContent {
    let rows: [WaterfallRow]
    /// The server of all calls; nil if there are several.
    let server: String?
    let start: Duration
    let end: Duration

    /// The whole time, for people.
    var time: String { (end - start).text }

    /// The phases that occur, in the order of the legend.
    var phases: [WaterfallRow.Phase] {
        WaterfallRow.Phase.allCases.filter { phase in rows.contains { $0.bars.contains { $0.phase == phase } } }
    }

    /// Returns the fraction of the whole time that a length takes. A negative one counts as zero.
    func share(_ length: Duration) -> Double {
        let total = (end - start) / .nanoseconds(1)
        return total > 0 ? max(length, .zero) / .nanoseconds(1) / total : 0
    }
}
