#if os(Linux)
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// What has been received of a response. Belongs to whoever drives the loop.
    struct CurlReception {
        enum Line {
            case more
            case informational(ResponseHead)
            case complete
            case tooLong(limit: Int)
            case malformed
        }

        /// The head of the final response, once it is complete.
        private(set) var head: ResponseHead?
        /// The lines behind the body.
        private(set) var trailers: [UInt8] = []
        /// How many bytes of the body have come, decoded.
        private(set) var total = 0
        /// How many of them are kept here.
        private(set) var pending = 0
        /// How many more may come before the reader has to be looked at.
        var room = 0
        var events: [TransportEvent] = []
        private var lines: [UInt8] = []
        private var portions: [Data] = []

        private static let longestHead = 512 << 10

        mutating func receive(line: UnsafeRawBufferPointer) -> Line {
            guard head == nil else {
                guard trailers.count + line.count <= Self.longestHead else { return .tooLong(limit: Self.longestHead) }
                trailers += line
                return .more
            }
            guard lines.count + line.count <= Self.longestHead else { return .tooLong(limit: Self.longestHead) }
            lines += line
            guard line.count <= 2, line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") else {
                return .more
            }
            defer { lines = [] }
            guard let head = lines.withUnsafeBytes({ ResponseHead(parsing: $0) }) else { return .malformed }
            if head.status.isInformational, head.status != 101 { return .informational(head) }
            self.head = head
            return .complete
        }

        /// Keeps a portion: as one of a stream, or as more of the whole.
        mutating func take(_ portion: UnsafeRawBufferPointer, asStream: Bool) {
            guard let start = portion.baseAddress else { return }
            total += portion.count
            pending += portion.count
            room -= portion.count
            if asStream || portions.isEmpty {
                portions.append(Data(bytes: start, count: portion.count))
            } else {
                portions[0].append(start.assumingMemoryBound(to: UInt8.self), count: portion.count)
            }
        }

        mutating func takePortions() -> [Data] {
            defer {
                portions = []
                pending = 0
            }
            return portions
        }

        /// How long the body says that it is, unless that speaks of other bytes than those that are counted.
        var announcedLength: Int? {
            guard let headers = head?.headers, !headers.contains("Content-Encoding") else { return nil }
            return headers["Content-Length"].flatMap { Int($0) }
        }
    }
#endif
