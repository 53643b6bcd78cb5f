/// The identity of a span in a distributed trace, as the header `traceparent` carries it (W3C Trace Context).
///
/// ```swift
/// let context = TraceContext()
/// print(context.traceparent)  // such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
/// ```
public struct TraceContext: Hashable, Sendable {
    /// The upper and the lower half of the number of the trace.
    private let upper: UInt64
    private let lower: UInt64
    private let span: UInt64
    /// A Boolean value that indicates whether the trace may be recorded.
    public let isSampled: Bool

    /// Creates the first span of a new trace, with random numbers.
    ///
    /// - Parameter isSampled: A Boolean value that indicates whether the trace may be recorded.
    public init(isSampled: Bool = true) {
        self.init(Self.random(), Self.random(), span: Self.random(), isSampled: isSampled)
    }

    /// Reads the value of a `traceparent` header. Returns nil if it is invalid, or of the forbidden version `ff`.
    public init?(traceparent: String) {
        let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0] != "ff", let version = Self.number(parts[0], of: 2),
            version != 0 || parts.count == 4, parts[1].utf8.count == 32,
            let upper = Self.number(parts[1].prefix(16), of: 16), let lower = Self.number(parts[1].suffix(16), of: 16),
            let span = Self.number(parts[2], of: 16), let flags = Self.number(parts[3], of: 2), span != 0,
            (upper, lower) != (0, 0)
        else { return nil }
        self.init(upper, lower, span: span, isSampled: flags & 1 == 1)
    }

    private init(_ upper: UInt64, _ lower: UInt64, span: UInt64, isSampled: Bool) {
        self.upper = upper
        self.lower = lower
        self.span = span
        self.isSampled = isSampled
    }

    /// The number of the trace: 32 hexadecimal digits.
    public var traceID: String { Self.digits(upper) + Self.digits(lower) }

    /// The number of the span: 16 hexadecimal digits.
    public var spanID: String { Self.digits(span) }

    /// The value of the header `traceparent`.
    public var traceparent: String { "00-\(traceID)-\(spanID)-0\(isSampled ? 1 : 0)" }

    /// Returns a new span of the same trace.
    public func child() -> TraceContext {
        TraceContext(upper, lower, span: Self.random(), isSampled: isSampled)
    }

    /// Returns a number other than 0, which is invalid.
    private static func random() -> UInt64 { .random(in: 1...(.max)) }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Reads hexadecimal digits in lower case, of which there must be the given number.
    private static func number(_ text: Substring, of count: Int) -> UInt64? {
        guard text.utf8.count == count,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return UInt64(text, radix: 16)
    }
}

extension TraceContext: CustomStringConvertible {
    /// The value of the header `traceparent`.
    public var description: String { traceparent }
}
