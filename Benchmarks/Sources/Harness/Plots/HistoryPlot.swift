extension [StoredRatios] {
    /// Draws the ratio of each row at each version, oldest first, in a line of its own.
    ///
    /// A bar reaches from quartile to quartile. The distance between two lines is a factor of ten.
    public var plot: String {
        var plot = SVG(width: 960)
        let keys = Set(flatMap(\.ratios.keys)).sorted { ($0.group, $0.row) < ($1.group, $1.row) }
        let span = 440.0 / Double(Swift.max(count, 1))
        for (number, stored) in enumerated() {
            plot.text(stored.version, 450 + span * (Double(number) + 0.5), 20, anchor: .middle, isBold: true)
        }
        var y = 30.0
        var group = ""
        for key in keys {
            if key.group != group {
                group = key.group
                y += 24
                plot.text(group.shortened(to: 150), 10, y, isBold: true)
                y += 6
            }
            y += 26
            add(key, to: &plot, y: y, span: span)
        }
        plot.grow(to: y + 20)
        return plot.document
    }

    private func add(_ key: StoredRatios.Key, to plot: inout SVG, y: Double, span: Double) {
        plot.text(key.row.shortened(to: 66), 420, y - 4, anchor: .end)
        plot.line(440, y, 950, y, color: .faint)
        let found = enumerated().compactMap { number, stored in stored.ratios[key].map { (number: number, ratio: $0) } }
        // Around the first ratio, so that later ones are below it if they are better.
        guard let first = found.first?.ratio.median, first > 0 else { return }
        let scale = LogScale(first / 10.squareRoot()...first * 10.squareRoot(), places: (y - 24)...y, isUpward: true)
        let points = found.map { (x: 450 + span * (Double($0.number) + 0.5), y: scale($0.ratio.median)) }
        plot.path(points, color: .blue)
        for (point, place) in zip(found, points) {
            plot.line(place.x, scale(point.ratio.lower), place.x, scale(point.ratio.upper), color: .lightBlue, width: 5)
            plot.dot(place.x, place.y, color: .blue)
            plot.text(Format.significant(point.ratio.median), place.x + 8, place.y + 4, size: 10)
        }
    }
}
