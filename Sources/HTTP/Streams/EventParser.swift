import TangoPlatform

/// Parses server-sent events while they arrive, by the rules of the WHATWG (HTML, 9.2.6).
package struct EventParser {
    /// The highest number of bytes in an event.
    let limit: Int
    /// The identifier to reconnect with, which is that of the last event with an end.
    package private(set) var lastEventID: String
    /// The time to wait before reconnecting, in milliseconds, if the server has named one.
    package private(set) var retry: UInt64?
    private var buffer = StreamBuffer()
    private var hasBegun = false
    /// A Boolean value that indicates whether the last line ended with a carriage return. A line feed after it belongs to
    /// the end of that line.
    private var hasReturn = false
    fileprivate var pending: Pending

    /// The event whose end has not arrived yet.
    fileprivate struct Pending {
        var type = ""
        var data: [UInt8] = []
        var hasData = false
        var id: String
    }

    package init(limit: Int, lastEventID: String = "") {
        self.limit = max(0, limit)
        self.lastEventID = lastEventID
        pending = Pending(id: lastEventID)
    }

    /// Adds a portion of the body.
    package mutating func append(_ portion: Data) {
        buffer.append(portion)
    }

    /// Begins with a new body. An event without an end is dropped.
    package mutating func restart() {
        buffer.removeAll()
        hasBegun = false
        hasReturn = false
        pending.data.removeAll(keepingCapacity: true)
        pending = Pending(data: pending.data, id: lastEventID)
    }

    /// Returns the result of a closure that gets the data, the type and the identifier of the next event; nil if the event
    /// is not complete yet.
    package mutating func next<Result>(
        _ make: (_ data: UnsafeRawBufferPointer, _ type: String, _ id: String) throws -> Result
    ) throws -> Result? {
        if !hasBegun {
            if buffer.mayBeginMark { return nil }
            buffer.removeByteOrderMark()
            hasBegun = true
        }
        while true {
            if hasReturn, let first = buffer.first {
                hasReturn = false
                if first == 0x0A { buffer.removeFirst() }
            }
            guard let length = buffer.lengthOfEventLine() else {
                try check(buffer.count)
                return nil
            }
            if length > 0 {
                try check(length)
                buffer.withFirst(length) { pending.add($0, retry: &retry) }
            }
            buffer.withFirst(length + 1) { hasReturn = $0[length] == 0x0D }
            buffer.removeFirst(length + 1)
            guard length == 0 else { continue }
            lastEventID = pending.id
            defer { pending.clear() }
            guard pending.hasData else { continue }
            return try pending.data.withUnsafeBytes { data in
                try make(data, pending.type.isEmpty ? "message" : pending.type, lastEventID)
            }
        }
    }

    private func check(_ count: Int) throws {
        if pending.data.count + count > limit { throw ElementExcess(element: "an event", limit: limit) }
    }
}

extension EventParser.Pending {
    /// Adds a line that is not empty.
    fileprivate mutating func add(_ line: UnsafeRawBufferPointer, retry: inout UInt64?) {
        guard let base = line.baseAddress else { return }
        let colon = memchr(base, 0x3A, line.count).map { UnsafeRawPointer($0) - base }
        // A line that begins with a colon is a comment.
        let name = UnsafeRawBufferPointer(rebasing: line[..<(colon ?? line.count)])
        var value = UnsafeRawBufferPointer(rebasing: line[min((colon ?? line.count) + 1, line.count)...])
        if value.first == 0x20 { value = UnsafeRawBufferPointer(rebasing: value.dropFirst()) }
        if name.equals("data") {
            if hasData { data.append(0x0A) }
            hasData = true
            data.append(contentsOf: value)
        } else if name.equals("event") {
            type = String(decoding: value, as: UTF8.self)
        } else if name.equals("id") {
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        } else if name.equals("retry"), !value.isEmpty, value.allSatisfy({ $0.decimalDigit != nil }) {
            // A number that is too large to count is capped later.
            retry = UInt64(String(decoding: value, as: UTF8.self)) ?? .max
        }
    }

    fileprivate mutating func clear() {
        type = ""
        hasData = false
        data.removeAll(keepingCapacity: true)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, text.utf8Start, count) == 0
    }
}
