import Synchronization

/// Declarations of swift-distributed-tracing 1, as far as "Beside other packages" uses them.
enum Tracing {
    struct ServiceContext: Sendable {
        @TaskLocal static var current: ServiceContext?
        var span: String
    }

    protocol Injector: Sendable {
        associatedtype Carrier: Sendable
        func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
    }

    protocol Instrument: Sendable {
        func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
        where Inject: Injector, Inject.Carrier == Carrier
    }

    enum InstrumentationSystem {
        static var instrument: any Instrument { TestTracer() }
    }

    enum SpanKind: Sendable {
        case server, client, producer, consumer, `internal`
    }

    struct SpanStatus: Equatable, Sendable {
        enum Code: Sendable {
            case ok, error
        }

        let code: Code
        let message: String?

        init(code: Code, message: String? = nil) {
            self.code = code
            self.message = message
        }
    }

    enum SpanAttribute: Equatable, Sendable {
        case int64(Int64)
        case string(String)
    }

    struct SpanAttributes: Sendable {
        private(set) var all: [String: SpanAttribute] = [:]

        subscript(name: String) -> SpanAttribute? {
            get { all[name] }
            set { all[name] = newValue }
        }
    }

    protocol Span: AnyObject, Sendable {
        var context: ServiceContext { get }
        var attributes: SpanAttributes { get set }
        func setStatus(_ status: SpanStatus)
        func recordError(_ error: any Error)
    }

    static func withSpan<T>(
        _ operationName: String, ofKind kind: SpanKind = .internal, isolation: isolated (any Actor)? = #isolation,
        _ operation: (any Span) async throws -> T
    ) async rethrows -> T {
        let span = TestSpan(operationName, kind, parent: ServiceContext.current?.span)
        TestTracer.spans.withLock { $0.append(span) }
        return try await ServiceContext.$current.withValue(span.context) {
            do {
                return try await operation(span)
            } catch {
                span.recordError(error)
                throw error
            }
        }
    }

    final class TestSpan: Span {
        let name: String
        let kind: SpanKind
        let parent: String?
        let context: ServiceContext
        private let state = Mutex<(attributes: SpanAttributes, status: SpanStatus?, error: (any Error)?)>(
            (SpanAttributes(), nil, nil))

        init(_ name: String, _ kind: SpanKind, parent: String?) {
            self.name = name
            self.kind = kind
            self.parent = parent
            context = ServiceContext(span: "\(parent ?? "trace")/\(name)")
        }

        var attributes: SpanAttributes {
            get { state.withLock(\.attributes) }
            set { state.withLock { $0.attributes = newValue } }
        }

        var status: SpanStatus? { state.withLock(\.status) }
        var error: (any Error)? { state.withLock(\.error) }

        func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }
        func recordError(_ error: any Error) { state.withLock { $0.error = error } }
    }

    struct TestTracer: Instrument {
        static let spans = Mutex<[TestSpan]>([])

        func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
        where Inject: Injector, Inject.Carrier == Carrier {
            injector.inject(context.span, forKey: "traceparent", into: &carrier)
        }
    }
}
