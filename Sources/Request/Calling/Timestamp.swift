/// An instant of the continuous clock, of which the compiler knows the layout.
///
/// It does not know that of `ContinuousClock.Instant`. A value with such a property is copied by functions that read its
/// layout when they run, and an object with one looks up the places of its properties.
struct Timestamp: Sendable {
    private static let origin = ContinuousClock.now

    private let sinceOrigin: Duration

    init(_ instant: ContinuousClock.Instant) {
        sinceOrigin = Self.origin.duration(to: instant)
    }

    static var now: Timestamp { Timestamp(.now) }

    var instant: ContinuousClock.Instant { Self.origin.advanced(by: sinceOrigin) }
}
