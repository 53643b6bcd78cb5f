import Synchronization

/// A drawing of calls over time, for a terminal, as a page or as a picture.
///
/// ```swift
/// let waterfall = Waterfall()
/// let api = Client(baseURL: url) { $0.observers.append(waterfall) }
/// ```
///
/// After some calls, print ``text(width:isColored:)``, or write ``html(title:)`` or ``svg()`` to a file. Each call has a row, and
/// so does each further attempt: retries, redirects and second requests. URLs are without secrets.
///
/// **Threads.** A waterfall can observe several clients.
public final class Waterfall: CallObserver {
    private struct State {
        var calls: [WaterfallCall] = []
        /// The place of the oldest call, once the limit is reached.
        var oldest = 0
    }

    /// The highest number of calls. The oldest ones are left out.
    public let limit: Int
    private let origin = ContinuousClock.now
    private let state = Mutex(State())

    /// Creates a waterfall without calls.
    ///
    /// - Parameter limit: The highest number of calls; at least 1.
    public init(limit: Int = 10_000) {
        self.limit = max(limit, 1)
    }

    public func observe(_ event: CallEvent) {
        guard case .finished(let kind, let error) = event.kind else { return }
        let call = WaterfallCall(event.call, kind, error, since: origin)
        state.withLock { state in
            if state.calls.count < limit {
                state.calls.append(call)
            } else {
                state.calls[state.oldest] = call
                state.oldest = (state.oldest + 1) % limit
            }
        }
    }

    /// Returns the drawing for a terminal.
    ///
    /// - Parameters:
    ///   - width: The number of columns; at least 40.
    ///   - isColored: True for colours. By default, they are used if standard output is a terminal and the variable
    ///     `NO_COLOR` is not set.
    public func text(width: Int = 80, isColored: Bool? = nil) -> String {
        let isColored = isColored ?? Terminal.isColored
        return WaterfallText(content: content, width: max(width, 40), isColored: isColored).text
    }

    /// Returns the drawing as a page that needs no other files and no scripts.
    public func html(title: String = "Waterfall") -> String {
        WaterfallPage(content: content, title: title).html
    }

    /// Returns the drawing as an SVG picture, which browsers and sites show in light and dark colours.
    public func svg() -> String {
        WaterfallPicture(content: content).svg
    }

    private var content: WaterfallContent {
        var calls = state.withLock(\.calls).sorted { ($0.start, $0.id) < ($1.start, $1.id) }
        let server = calls.removeCommonServer()
        let rows = calls.flatMap(WaterfallRow.rows)
        let end = rows.flatMap(\.bars).map(\.end).max() ?? .zero
        return WaterfallContent(rows: rows, server: server, start: calls.first?.start ?? .zero, end: end)
    }
}

extension Waterfall: CustomStringConvertible {
    /// The drawing as a plain text.
    public var description: String { text(isColored: false) }
}
