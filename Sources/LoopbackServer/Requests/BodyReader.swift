/// A reader of the body of a request, by its length or by its chunks. It records the configured part of the body.
struct BodyReader {
    private enum State {
        case fixed(remaining: Int)
        case size
        case data(remaining: Int)
        case dataEnd
        case trailer
        case done
        case broken(String)
    }

    private var state: State
    private let length: Int?
    private let keeping: LoopbackServer.BodyRecording
    private var line: [UInt8] = []

    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    private(set) var digest = ContentDigest()
    private(set) var chunkSizes: [Int] = []
    private(set) var trailers: [HeaderLines.Line] = []

    init(_ head: RequestHead, keeping: LoopbackServer.BodyRecording) {
        self.keeping = keeping
        length = head.isChunked ? nil : head.length ?? 0
        if head.isChunked {
            state = .size
        } else {
            state = head.hasBody ? .fixed(remaining: head.length ?? 0) : .done
            if case .all = keeping { bytes.reserveCapacity(min(head.length ?? 0, 64 << 20)) }
        }
    }

    var keepsAll: Bool { keeping == .all }

    var isDone: Bool {
        if case .done = state { true } else { false }
    }

    var broken: String? {
        if case .broken(let reason) = state { reason } else { nil }
    }

    /// A Boolean value that indicates whether half of the body was read; of a chunked body, the first chunk.
    var isHalfDone: Bool {
        guard let length else { return chunkSizes.count > 1 || (count > 0 && !isInData) || isDone || broken != nil }
        return count >= length / 2
    }

    private var isInData: Bool {
        if case .data = state { true } else { false }
    }

    /// Removes bytes of the body from the front of `window`: as many as there are, or up to half of the body.
    mutating func read(_ window: inout UnsafeRawBufferPointer, onlyHalf: Bool) {
        while !window.isEmpty, !onlyHalf || !isHalfDone {
            switch state {
            case .fixed(let remaining):
                let wanted = onlyHalf ? (length ?? 0) / 2 - count : remaining
                let taken = take(min(wanted, window.count), from: &window)
                state = remaining == taken ? .done : .fixed(remaining: remaining - taken)
            case .data(let remaining):
                let taken = take(min(remaining, window.count), from: &window)
                state = remaining == taken ? .dataEnd : .data(remaining: remaining - taken)
            case .size, .dataEnd, .trailer:
                guard readLine(&window) else { return }
                endLine()
                line.removeAll(keepingCapacity: true)
            case .done, .broken:
                return
            }
        }
    }

    private mutating func take(_ count: Int, from window: inout UnsafeRawBufferPointer) -> Int {
        let part = UnsafeRawBufferPointer(rebasing: window[..<count])
        self.count += count
        switch keeping {
        case .all: bytes.append(contentsOf: part)
        case .first(let limit): bytes.append(contentsOf: part.prefix(max(0, limit - bytes.count)))
        case .none: break
        }
        if keeping != .all { digest.add(part) }
        window = UnsafeRawBufferPointer(rebasing: window[count...])
        return count
    }

    /// Reads the available part of a line. Returns true at its end.
    private mutating func readLine(_ window: inout UnsafeRawBufferPointer) -> Bool {
        let end = window.firstIndex(of: Byte.lineFeed)
        line.append(contentsOf: window[..<(end ?? window.count)])
        window = UnsafeRawBufferPointer(rebasing: window[(end.map { $0 + 1 } ?? window.count)...])
        if line.count > HeadParser.limit { state = .broken("a line of more than \(HeadParser.limit) bytes") }
        return end != nil
    }

    private mutating func endLine() {
        guard line.popLast() == Byte.carriageReturn else {
            state = .broken("a line that ends without a carriage return")
            return
        }
        switch state {
        case .size:
            guard let size = chunkSize() else {
                state = .broken("a chunk size that is not a number")
                return
            }
            if size > 0 { chunkSizes.append(size) }
            state = size > 0 ? .data(remaining: size) : .trailer
        case .dataEnd:
            state = line.isEmpty ? .size : .broken("a chunk that is longer than its size")
        case .trailer:
            if line.isEmpty { state = .done } else { trailers.append(HeaderLines.Line(bytes: line)) }
        case .fixed, .data, .done, .broken:
            break
        }
    }

    private func chunkSize() -> Int? {
        let digits = Text.trimmed(line.prefix { $0 != Byte.semicolon })
        guard !digits.isEmpty, digits.count <= 15 else { return nil }
        var size = 0
        for digit in digits {
            guard let value = Byte.hexadecimal(digit) else { return nil }
            size = size << 4 | value
        }
        return size
    }
}
