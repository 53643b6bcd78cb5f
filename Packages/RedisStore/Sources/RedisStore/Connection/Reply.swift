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

        /// Returns whether replies of a type have the shape. Errors have every shape.
        func accepts(_ type: Int32) -> Bool {
            switch (self, Int(type)) {
            case (.any, _), (_, tango_redis_error): true
            case (.string, tango_redis_string), (.string, tango_redis_status), (.string, tango_redis_nil): true
            case (.integer, tango_redis_integer), (.array, tango_redis_array): true
            default: false
            }
        }
    }

    /// The refusal of the command, except for keys of the wrong type and unknown scripts.
    var refusal: Refusal? {
        guard case .error(let text) = self, !text.hasPrefix("WRONGTYPE"), !text.hasPrefix("NOSCRIPT") else {
            return nil
        }
        return Refusal(text: text)
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

extension Reply {
    /// Copies a part of a reply, and the parts that belong to it. Parts of an unknown type are null.
    ///
    /// - Parameters:
    ///   - memory: The whole reply.
    ///   - position: The place of the part. Afterwards, the place behind it.
    init(_ memory: tango_redis_reply, at position: inout Int) {
        guard position < memory.count else {
            self = .null
            return
        }
        let value = memory.values[position]
        position += 1
        switch Int(value.type) {
        case tango_redis_string, tango_redis_status: self = .string(Data(memory.text(of: value)))
        case tango_redis_error: self = .error(String(decoding: memory.text(of: value), as: UTF8.self))
        case tango_redis_integer: self = .integer(value.integer)
        case tango_redis_array:
            var parts: [Reply] = []
            for _ in 0..<max(0, value.integer) {
                guard position < memory.count else { break }
                parts.append(Reply(memory, at: &position))
            }
            self = .array(parts)
        default: self = .null
        }
    }
}

extension tango_redis_reply {
    /// The text of a part.
    func text(of value: tango_redis_value) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes.map { $0 + value.offset }, count: value.length)
    }
}
