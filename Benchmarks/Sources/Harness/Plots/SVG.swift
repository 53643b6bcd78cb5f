/// A drawing, as the text of an SVG file that needs no script, font or other file.
struct SVG {
    let width: Double
    private(set) var height = 0.0
    private var elements: [String] = []

    init(width: Double) {
        self.width = width
    }

    enum Anchor: String {
        case start
        case middle
        case end
    }

    enum Color: String {
        case ink = "#222222"
        case faint = "#bbbbbb"
        case gray = "#888888"
        case blue = "#1f77b4"
        case lightBlue = "#9ecae1"
        case red = "#d62728"
    }

    /// Adds room at the bottom.
    mutating func grow(to height: Double) {
        self.height = max(self.height, height)
    }

    mutating func text(
        _ text: String, _ x: Double, _ y: Double, anchor: Anchor = .start, size: Int = 11, color: Color = .ink,
        isBold: Bool = false
    ) {
        let weight = isBold ? #" font-weight="bold""# : ""
        elements.append(
            #"<text x="\#(x.place)" y="\#(y.place)" font-size="\#(size)" text-anchor="\#(anchor.rawValue)" "#
                + #"fill="\#(color.rawValue)"\#(weight)>\#(text.escaped)</text>"#)
        grow(to: y + 6)
    }

    mutating func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, color: Color = .ink, width: Double = 1,
        isDashed: Bool = false
    ) {
        let dashes = isDashed ? #" stroke-dasharray="3 3""# : ""
        elements.append(
            #"<line x1="\#(x1.place)" y1="\#(y1.place)" x2="\#(x2.place)" y2="\#(y2.place)" "#
                + #"stroke="\#(color.rawValue)" stroke-width="\#(width.place)"\#(dashes)/>"#)
        grow(to: max(y1, y2))
    }

    mutating func path(_ points: [(x: Double, y: Double)], color: Color, width: Double = 1.5) {
        let places = points.map { "\($0.x.place),\($0.y.place)" }.joined(separator: " ")
        elements.append(
            #"<polyline points="\#(places)" fill="none" stroke="\#(color.rawValue)" "#
                + #"stroke-width="\#(width.place)"/>"#)
    }

    mutating func dot(_ x: Double, _ y: Double, radius: Double = 2.5, color: Color, isFilled: Bool = true) {
        elements.append(
            #"<circle cx="\#(x.place)" cy="\#(y.place)" r="\#(radius.place)" stroke="\#(color.rawValue)" "#
                + #"fill="\#(isFilled ? color.rawValue : "#ffffff")"/>"#)
        grow(to: y + radius)
    }

    /// The text of the file. The background is white, for readers whose pages are dark.
    var document: String {
        let size = #"width="\#(width.place)" height="\#(height.place)""#
        return """
            <svg xmlns="http://www.w3.org/2000/svg" \(size) viewBox="0 0 \(width.place) \(height.place)" \
            font-family="sans-serif">
            <rect \(size) fill="#ffffff"/>
            \(elements.joined(separator: "\n"))
            </svg>

            """
    }
}

/// A logarithmic axis.
struct LogScale {
    let values: ClosedRange<Double>
    let places: ClosedRange<Double>
    /// True for an axis that runs upwards, while places run downwards.
    let isUpward: Bool

    /// Creates an axis whose ends are powers of ten around the values, at least `decades` apart.
    init(around values: [Double], decades: Int = 1, places: ClosedRange<Double>, isUpward: Bool = false) {
        let positive = values.filter { $0 > 0 }
        let lowest = (positive.min() ?? 1).logarithm.rounded(.down)
        let highest = (positive.max() ?? 10).logarithm.rounded(.up)
        self.init(
            lowest.powerOfTen...max(highest, lowest + Double(decades)).powerOfTen, places: places, isUpward: isUpward)
    }

    init(_ values: ClosedRange<Double>, places: ClosedRange<Double>, isUpward: Bool = false) {
        self.values = values
        self.places = places
        self.isUpward = isUpward
    }

    /// Returns the place of a value. One that is not positive is at the lower end.
    func callAsFunction(_ value: Double) -> Double {
        let value = min(max(value, values.lowerBound), values.upperBound)
        let fraction =
            (value / values.lowerBound).logarithm / (values.upperBound / values.lowerBound).logarithm
        let distance = fraction * (places.upperBound - places.lowerBound)
        return isUpward ? places.upperBound - distance : places.lowerBound + distance
    }

    /// The powers of ten.
    var ticks: [Double] {
        let first = Int(values.lowerBound.logarithm.rounded())
        let last = Int(values.upperBound.logarithm.rounded())
        return (first...last).map { Double($0).powerOfTen }
    }
}

extension Double {
    /// The number as a coordinate.
    fileprivate var place: String { Format.decimal(self, places: 1) }
}

extension String {
    /// The text with the references that XML needs.
    var escaped: String {
        reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            default: text.append(character)
            }
        }
    }
}
