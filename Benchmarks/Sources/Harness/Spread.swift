import Foundation

/// The median of measurements, and the quartiles around it.
public struct Spread: Equatable, Sendable {
    public var lower: Double
    public var median: Double
    public var upper: Double

    public init(lower: Double, median: Double, upper: Double) {
        self.lower = lower
        self.median = median
        self.upper = upper
    }

    /// Computes the quartiles by linear interpolation; all are 0 without a measurement.
    public init(_ values: [Double]) {
        let sorted = values.sorted()
        lower = sorted.quantile(0.25)
        median = sorted.quantile(0.5)
        upper = sorted.quantile(0.75)
    }

    /// The distance between the quartiles.
    public var noise: Double { upper - lower }
}

extension [Double] {
    fileprivate func quantile(_ fraction: Double) -> Double {
        guard !isEmpty else { return 0 }
        let place = fraction * Double(count - 1)
        let below = Int(place)
        let above = Swift.min(below + 1, count - 1)
        return self[below] + (self[above] - self[below]) * (place - Double(below))
    }
}

extension Double {
    /// The decimal logarithm.
    var logarithm: Double { log10(self) }

    /// Ten to the power of this number.
    var powerOfTen: Double { pow(10, self) }
}
