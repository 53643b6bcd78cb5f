extension [GrowthCurve] {
    /// Draws each curve in a panel of its own with two logarithmic axes, in which a dashed line is linear growth.
    public var plot: String {
        var plot = SVG(width: 960)
        var top = 0.0
        var column = 0
        var dimension = ""
        for curve in self {
            if curve.dimension != dimension {
                if !dimension.isEmpty { top += 175 }
                dimension = curve.dimension
                column = 0
                plot.text(dimension, 10, top + 22, size: 14, isBold: true)
                top += 30
            } else if column == 3 {
                column = 0
                top += 175
            }
            plot.add(curve, left: 10 + 315 * Double(column), top: top)
            column += 1
        }
        plot.grow(to: top + 180)
        return plot.document
    }
}

extension SVG {
    fileprivate mutating func add(_ curve: GrowthCurve, left: Double, top: Double) {
        let sizes = curve.points.map { Double($0.size) }
        let times = curve.points.flatMap { [$0.time.lower, $0.time.upper] }
        let across = LogScale(around: sizes, decades: 2, places: (left + 45)...(left + 290))
        let upward = LogScale(around: times, decades: 2, places: (top + 25)...(top + 145), isUpward: true)

        text(curve.name.shortened(to: 48), left + 45, top + 16)
        for tick in upward.ticks {
            line(left + 45, upward(tick), left + 290, upward(tick), color: .faint)
            text(Format.duration(tick), left + 40, upward(tick) + 4, anchor: .end, size: 10, color: .gray)
        }
        for size in sizes {
            text(Format.grouped(Int(size)), across(size), top + 160, anchor: .middle, size: 10, color: .gray)
        }
        // From the second point on, the cost consists of what depends on the size.
        if curve.points.count > 2 {
            let (first, last) = (curve.points[1], curve.points[curve.points.count - 1])
            let linear = first.time.median * Double(last.size) / Double(first.size)
            let end = Swift.min(linear, upward.values.upperBound)
            line(
                across(Double(first.size)), upward(first.time.median),
                across(Double(first.size) * end / first.time.median), upward(end), color: .gray, isDashed: true)
        }
        let color: Color = curve.isFlat ? .blue : .red
        path(curve.points.map { (across(Double($0.size)), upward($0.time.median)) }, color: color)
        for point in curve.points {
            let x = across(Double(point.size))
            line(x, upward(point.time.lower), x, upward(point.time.upper), color: color)
            dot(x, upward(point.time.median), color: color)
        }
    }
}
