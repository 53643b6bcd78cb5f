#if os(Linux)
    import Glibc

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// What has been received of a response. Belongs to whoever drives the loop, and when all is there, to its caller.
    ///
    /// The head, and the whole of a small body, are in one piece of memory, which the caller has allocated and releases: the
    /// loop, which is what many requests at once wait for, does neither for them.
    struct CurlReception: ~Copyable {
        enum Line {
            case more
            case informational(ResponseHead)
            case complete
            case tooLong(limit: Int)
            case malformed
        }

        private(set) var isHeadComplete = false
        /// The lines behind the body.
        private(set) var trailers: [UInt8] = []
        /// How many bytes of the body have come, decoded.
        private(set) var total = 0
        /// How many of them are kept here.
        private(set) var pending = 0
        /// How many more may come before the reader has to be looked at.
        var room = 0
        var events: [TransportEvent] = []
        private var portions: [Data] = []
        /// The buffer that a stream is being gathered in, and how much it holds.
        private var gathering: UnsafeMutableRawPointer?
        private var gathered = 0
        private let buffers: CurlBuffers

        private var memory: UnsafeMutableRawPointer
        private var capacity = 1000
        private var used = 0
        private var headLength = 0

        private static let longestHead = 512 << 10
        /// Bodies up to this length stay with the head.
        private static let largestSmall = 4 << 10

        init(_ buffers: CurlBuffers) {
            self.buffers = buffers
            memory = .allocate(byteCount: capacity, alignment: 1)
        }

        deinit {
            memory.deallocate()
            if let gathering { buffers.give(back: gathering) }
        }

        // MARK: The head

        mutating func receive(line: UnsafeRawBufferPointer) -> Line {
            guard !isHeadComplete else {
                guard trailers.count + line.count <= Self.longestHead else { return .tooLong(limit: Self.longestHead) }
                trailers += line
                return .more
            }
            guard used + line.count <= Self.longestHead else { return .tooLong(limit: Self.longestHead) }
            append(line)
            guard line.count <= 2, line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") else {
                return .more
            }
            headLength = used
            guard isInterim else {
                isHeadComplete = true
                return .complete
            }
            defer { used = 0 }
            return parsedHead.map { .informational($0) } ?? .malformed
        }

        /// Whether the head is that of an interim response, 1xx, but for 101, which is the last in HTTP.
        private var isInterim: Bool {
            let head = UnsafeRawBufferPointer(start: memory, count: headLength)
            guard let space = head.firstIndex(of: UInt8(ascii: " ")) else { return false }
            let code = head[(space + 1)...].prefix(3)
            return code.first == UInt8(ascii: "1") && !code.elementsEqual("101".utf8)
        }

        /// Whether the head came in HTTP/2.
        var isHTTP2: Bool {
            UnsafeRawBufferPointer(start: memory, count: headLength).starts(with: "HTTP/2".utf8)
        }

        /// The head, as far as it makes sense.
        var parsedHead: ResponseHead? {
            ResponseHead(parsing: UnsafeRawBufferPointer(start: memory, count: headLength))
        }

        // MARK: The body

        /// Keeps a portion: as one of a stream, or as more of the whole.
        mutating func take(_ portion: UnsafeRawBufferPointer, asStream: Bool) {
            guard !portion.isEmpty else { return }
            total += portion.count
            pending += portion.count
            room -= portion.count
            if asStream {
                gather(portion)
            } else if portions.isEmpty, total <= Self.largestSmall {
                append(portion)
            } else if portions.isEmpty {
                // What is announced may be a lie.
                var whole = Data(capacity: max(total, min(announcedLength ?? 0, 64 << 20)))
                whole.append(contentsOf: UnsafeRawBufferPointer(start: memory + headLength, count: used - headLength))
                whole.append(contentsOf: portion)
                used = headLength
                portions = [whole]
            } else {
                portions[0].append(contentsOf: portion)
            }
        }

        private mutating func gather(_ portion: UnsafeRawBufferPointer) {
            var rest = portion
            while !rest.isEmpty, let start = rest.baseAddress {
                let buffer = gathering ?? buffers.take()
                gathering = buffer
                let count = min(rest.count, CurlBuffers.size - gathered)
                (buffer + gathered).copyMemory(from: start, byteCount: count)
                gathered += count
                if gathered == CurlBuffers.size { seal() }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }

        /// Makes a portion of what has been gathered.
        private mutating func seal() {
            guard let buffer = gathering, gathered > 0 else { return }
            if let data = buffers.data(buffer, count: gathered) {
                portions.append(data)
                gathering = nil
            } else {
                portions.append(Data(bytes: buffer, count: gathered))
            }
            gathered = 0
        }

        mutating func takePortions() -> [Data] {
            seal()
            defer {
                portions = []
                pending = 0
            }
            return portions
        }

        /// A body that is all here.
        var wholeBody: Data {
            portions.first
                ?? (used > headLength ? Data(bytes: memory + headLength, count: used - headLength) : Data())
        }

        /// How long the body says that it is, unless that speaks of other bytes than those that are counted.
        private(set) lazy var announcedLength: Int? =
            if let headers = parsedHead?.headers, !headers.contains("Content-Encoding") {
                headers.contentLength
            } else {
                nil
            }

        /// How long the body is on the wire, as far as the head says; 0 if a response like this has none.
        private(set) lazy var lengthOnWire: Int? = parsedHead?.lengthOnWire

        /// Whether the body comes compressed.
        lazy var isEncoded = parsedHead?.headers.contains("Content-Encoding") ?? false

        /// Whether the body was encoded on its way, by more than chunks.
        lazy var isTransferEncoded = parsedHead?.headers.isTransferEncoded ?? false

        private mutating func append(_ bytes: UnsafeRawBufferPointer) {
            guard let start = bytes.baseAddress else { return }
            if used + bytes.count > capacity {
                let larger = max(capacity * 2, used + bytes.count)
                let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 1)
                moved.copyMemory(from: memory, byteCount: used)
                memory.deallocate()
                memory = moved
                capacity = larger
            }
            (memory + used).copyMemory(from: start, byteCount: bytes.count)
            used += bytes.count
        }
    }
#endif
