/// A row of a waterfall: a call, or a further attempt of the call above it.
struct WaterfallRow: Equatable, Sendable {
    /// A part of a row. The order is that in which parts are drawn over each other.
    enum Phase: String, CaseIterable, Sendable {
        case gap, queue, resolve, connect, secure, wait, receive, decode, hit

        /// The name in a legend, the symbol and the colour in a terminal, and the colour elsewhere.
        var look: (name: String, symbol: Character, terminal: Int, color: String) {
            switch self {
            case .gap: (rawValue, "·", 90, "")
            case .queue: (rawValue, "░", 90, "#999")
            case .resolve: ("name", "n", 36, "#1ba5b8")
            case .connect: (rawValue, "c", 33, "#e8890c")
            case .secure: ("TLS", "t", 35, "#b04fc4")
            case .wait: (rawValue, "─", 32, "#3fa34d")
            case .receive: (rawValue, "█", 34, "#2f6fde")
            case .decode: (rawValue, "▒", 36, "#d6457a")
            case .hit: ("cache", "*", 32, "#c9a400")
            }
        }

        var name: String { look.name }

        /// Returns the styles that give each phase its colour. That of gaps is quieter in a picture.
        static func styles(_ property: String, gap: String) -> String {
            allCases.map { ".\($0.rawValue) { \(property): \($0 == .gap ? gap : $0.look.color); }" }
                .joined(separator: " ")
        }
    }

    struct Bar: Equatable, Sendable {
        let phase: Phase
        let start: Duration
        let end: Duration
    }

    var label: String
    var bars: [Bar]
    /// The status and the time.
    var note: String

    static func rows(of call: WaterfallCall) -> [WaterfallRow] {
        let time = (call.end - call.start).text
        let label = "#\(call.id) \(call.name)"
        guard let last = call.attempts.last else {
            let text = [call.failure, call.note, time].compactMap(\.self).joined(separator: ", ")
            let phase: Phase = call.note?.hasPrefix("from the cache") == true ? .hit : .gap
            return [WaterfallRow(label: label, bars: [Bar(phase: phase, start: call.start, end: call.end)], note: text)]
        }
        var place = call.start
        return call.attempts.map { attempt in
            var bars: [Bar] = []
            let queue = attempt.phases.queue ?? .zero
            if attempt.start - queue > place {
                bars.append(Bar(phase: .gap, start: place, end: attempt.start - queue))
            }
            bars += attempt.bars
            place = attempt.end
            var result = [attempt.result]
            if attempt.number == last.number {
                if let decoding = call.decoding, decoding > .zero {
                    bars.append(Bar(phase: .decode, start: attempt.end, end: attempt.end + decoding))
                }
                if let failure = call.failure, failure != attempt.result { result.append(failure) }
                if let note = call.note { result.append(note) }
                result.append(time)
            }
            let isFirst = attempt.number == call.attempts[0].number
            return WaterfallRow(
                label: isFirst ? label : "  \(attempt.cause)", bars: bars,
                note: result.filter { !$0.isEmpty }.joined(separator: ", "))
        }
    }
}

extension WaterfallCall.Attempt {
    /// The phases as parts of a row. Time that no phase explains is waiting.
    fileprivate var bars: [WaterfallRow.Bar] {
        var bars: [WaterfallRow.Bar] = []
        var place = start - (phases.queue ?? .zero)
        func add(_ phase: WaterfallRow.Phase, _ duration: Duration?) {
            guard let duration, duration > .zero else { return }
            let stop = min(place + duration, end)
            if stop > place { bars.append(WaterfallRow.Bar(phase: phase, start: place, end: stop)) }
            place = max(place, stop)
        }
        if let queue = phases.queue, queue > .zero {
            bars.append(WaterfallRow.Bar(phase: .queue, start: place, end: start))
            place = start
        }
        add(.resolve, phases.resolve)
        add(.connect, phases.connect)
        add(.secure, phases.secure)
        add(.wait, phases.prepare)
        add(.wait, phases.wait)
        let hasReceived = phases.receive != nil
        if place < end || bars.isEmpty {
            bars.append(WaterfallRow.Bar(phase: hasReceived ? .receive : .wait, start: place, end: max(place, end)))
        }
        return bars
    }
}
