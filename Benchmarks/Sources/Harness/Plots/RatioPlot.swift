extension Run {
    /// Draws the ratios of some groups, on a logarithmic axis: a bar from quartile to quartile, and a dot at the median.
    ///
    /// - Parameter groups: The names of the groups.
    public func ratioPlot(of groups: Set<String>) -> String {
        let rows = summaries.filter { groups.contains($0.group) && $0.ratios != nil }
        let numbers = rows.flatMap { row in [row.ratios?.lower, row.ratios?.upper, row.row.must].compactMap(\.self) }
        var plot = SVG(width: 960)
        let scale = LogScale(around: numbers + [1], places: 430...890)
        let (top, step) = (40.0, 18.0)
        let lines = rows.count + 2 * Set(rows.map(\.group)).count
        let bottom = top + Double(lines) * step

        for tick in scale.ticks {
            plot.line(scale(tick), top - 6, scale(tick), bottom, color: tick == 1 ? .gray : .faint)
            plot.text(Format.tick(tick), scale(tick), top - 12, anchor: .middle, color: .gray)
        }
        var y = top
        var group = ""
        for row in rows {
            guard let ratios = row.ratios else { continue }
            if row.group != group {
                group = row.group
                y += 1.5 * step
                plot.text(group.shortened(to: 150), 10, y - 2, isBold: true)
                y += 0.5 * step
            }
            y += step
            let color: SVG.Color = row.row.isComparison ? .gray : .blue
            plot.text(
                row.row.name.shortened(to: 66), 420, y - 5, anchor: .end, color: row.row.isComparison ? .gray : .ink)
            plot.line(
                scale(ratios.lower), y - 9, scale(ratios.upper), y - 9,
                color: row.row.isComparison ? .faint : .lightBlue, width: 7)
            plot.dot(scale(ratios.median), y - 9, color: color)
            if let must = row.row.must {
                plot.line(scale(must), y - 15, scale(must), y - 3, color: .red, width: 2)
            }
            plot.text(Format.significant(ratios.median), 950, y - 5, anchor: .end, color: color)
        }
        plot.grow(to: bottom + 20)
        return plot.document
    }
}
