/// Declarations of opentelemetry-swift, as far as "Beside other packages" uses them.
enum OpenTelemetryApi {
    struct TraceId: Sendable {
        let hexString: String
    }

    struct SpanId: Sendable {
        let hexString: String
    }

    struct TraceFlags: Sendable {
        let sampled: Bool
    }

    struct SpanContext: Sendable {
        let traceId: TraceId
        let spanId: SpanId
        let traceFlags: TraceFlags
    }

    protocol Span: Sendable {
        var context: SpanContext { get }
    }

    struct OpenTelemetryContextProvider: Sendable {
        @TaskLocal static var span: (any Span)?
        var activeSpan: (any Span)? { Self.span }
    }

    struct OpenTelemetry: Sendable {
        static let instance = OpenTelemetry()
        let contextProvider = OpenTelemetryContextProvider()
    }
}
