import TangoCHiredis

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A reply of the server.
enum Reply: Sendable, Equatable {
    case null
    case integer(Int64)
    case string(Data)
    case array([Reply])
    /// The server has refused the command.
    case error(String)
}

extension Reply {
    /// The shape of the reply to a command. A reply of another shape belongs to another command, so the connection is closed.
    enum Shape: Sendable {
        case any, string, integer, array
    }

    /// Returns whether the reply has a shape. Errors have every shape.
    func has(_ shape: Shape) -> Bool {
        switch (self, shape) {
        case (.error, _), (_, .any), (.string, .string), (.null, .string), (.integer, .integer), (.array, .array): true
        default: false
        }
    }
}

extension Reply {
    /// Copies a reply of the parser. Parts of an unknown type are null.
    init(_ reply: UnsafeRawPointer) {
        let value = tango_hiredis_value(reply)
        switch Int(value.type) {
        case tango_redis_string, tango_redis_status:
            self = .string(value.bytes.map { Data(bytes: $0, count: value.length) } ?? Data())
        case tango_redis_error:
            let bytes = UnsafeRawBufferPointer(start: value.bytes, count: value.length)
            self = .error(String(decoding: bytes, as: UTF8.self))
        case tango_redis_integer: self = .integer(value.integer)
        case tango_redis_array:
            self = .array((0..<value.count).map { tango_hiredis_element(reply, $0).map { Reply($0) } ?? .null })
        default: self = .null
        }
    }

    /// The bytes of a string, or nil.
    var data: Data? {
        if case .string(let data) = self { data } else { nil }
    }

    /// The text of a string, or nil.
    var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }

    /// The parts of an array, or nil.
    var parts: [Reply]? {
        if case .array(let parts) = self { parts } else { nil }
    }

    /// The number, or nil.
    var number: Int? {
        if case .integer(let number) = self { Int(number) } else { nil }
    }
}

/// A parser of replies. It belongs to one thread.
struct ReplyParser: ~Copyable {
    private let reader: UnsafeMutableRawPointer

    /// Returns nil if there is no memory.
    init?() {
        guard let reader = tango_hiredis_create() else { return nil }
        self.reader = reader
    }

    deinit {
        tango_hiredis_free(reader)
    }

    /// Adds received bytes. Returns false if the bytes before them were invalid.
    func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        return tango_hiredis_feed(reader, start, bytes.count) == 0
    }

    enum Step {
        case reply(Reply)
        case needsMore
        case invalid
    }

    func next() -> Step {
        var found: UnsafeMutableRawPointer?
        guard tango_hiredis_next(reader, &found) == 0 else { return .invalid }
        guard let found else { return .needsMore }
        defer { tango_hiredis_free_reply(found) }
        return .reply(Reply(found))
    }
}
