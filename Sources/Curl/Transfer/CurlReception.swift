#if os(Linux)
    import Glibc

    /// The received part of a response. Used by the loop's driver, and by the receiver once the transfer has ended.
    ///
    /// One block of memory holds the head and the whole of a small body. The caller allocates and releases it, so that
    /// the loop, which many requests share, does neither.
    struct CurlReception: ~Copyable {
        enum Line {
            case more
            /// An interim response to report.
            case informational(ResponseHead)
            case complete
            /// The response cannot be used. The text is that of the error.
            case bad(String)

            static func tooLong(limit: Int) -> Line {
                .bad("the head of the response is longer than \(limit) bytes: shorten the headers on the server")
            }
        }

        private(set) var isHeadComplete = false
        /// A Boolean value that indicates whether a complete head waits for the decision of libcurl to send the request
        /// again.
        private(set) var isHeadHeld = false
        private var hasHeldHead = false
        /// The lines after the body.
        private(set) var trailers: [UInt8] = []
        /// The number of decoded bytes of the body that have arrived.
        private(set) var total = 0
        /// The number of these bytes that are still stored here.
        private(set) var pending = 0
        /// The number of bytes that may arrive before the progress of the reader is checked again.
        var room = 0
        var events: [TransportEvent] = []
        private var portions: [Data] = []
        /// The buffer that collects the next portion of a stream, and the number of bytes in it.
        private var gathering: UnsafeMutableRawPointer?
        private var gathered = 0
        private let buffers: CurlBuffers

        private var memory: UnsafeMutableRawPointer
        private var capacity = 1000
        private var used = 0
        private var headLength = 0
        private var interim = InterimResponses()
        private var lengths = LengthLines()

        private static let serverCheck = "check the server, and any proxy before it"
        private static let longestHead = 512 << 10
        /// Bodies up to this length are stored after the head.
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

        /// A Boolean value that indicates whether the next line begins a head.
        var isBeforeHead: Bool { used == 0 && !isHeadComplete }

        mutating func receive(line: UnsafeRawBufferPointer, isObserved: Bool) -> Line {
            guard !isHeadComplete else {
                guard trailers.count + line.count <= Self.longestHead else { return .tooLong(limit: Self.longestHead) }
                trailers += line
                return .more
            }
            isHeadHeld = false
            guard used + line.count <= Self.longestHead else { return .tooLong(limit: Self.longestHead) }
            if isBeforeHead { lengths = LengthLines() }
            lengths.add(line)
            append(line)
            guard line.count <= 2, line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") else {
                return .more
            }
            headLength = used
            guard isInterim else {
                if lengths.hasBlank {
                    return .bad(
                        "the response has a blank before the colon of Content-Length or Transfer-Encoding: "
                            + Self.serverCheck)
                }
                if lengths.needCheck, let head = parsedHead, head.hasInvalidLength {
                    let value = head.headers.combined("Content-Length") ?? ""
                    return .bad(
                        "the length of the response, \"\(value.prefix(100))\", is not one number: \(Self.serverCheck)")
                }
                isHeadComplete = true
                return .complete
            }
            defer { used = 0 }
            switch interim.add(length: headLength, isObserved: isObserved) {
            case .report:
                guard let head = parsedHead else {
                    return .bad("the response is not valid HTTP: \(Self.serverCheck)")
                }
                return .informational(head)
            case .skip: return .more
            case .refuse: return .tooLong(limit: InterimResponses.highestLength)
            }
        }

        /// Holds the head of a first rejection by a proxy, which libcurl may follow by sending the request again. Returns
        /// false for any other head.
        mutating func holdRejectionByProxy() -> Bool {
            guard !hasHeldHead, isHeadComplete, parsedHead?.status == .proxyAuthenticationRequired else { return false }
            hasHeldHead = true
            isHeadHeld = true
            isHeadComplete = false
            used = 0
            return true
        }

        /// Makes a held head that of the response, because libcurl has not sent the request again. Returns false if there is
        /// none.
        mutating func releaseHead() -> Bool {
            guard isHeadHeld else { return false }
            isHeadHeld = false
            used = headLength
            isHeadComplete = true
            return true
        }

        /// A Boolean value that indicates whether the head belongs to an interim response. That is any 1xx except 101,
        /// which is a final response.
        private var isInterim: Bool { hasStatus("1") && !hasStatus("101") }

        /// Returns whether the status of the head begins with digits. Any number of blanks may precede it.
        func hasStatus(_ digits: StaticString) -> Bool {
            let head = UnsafeRawBufferPointer(start: memory, count: headLength)
            let status = head.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }
            return head.holds(digits, at: status.startIndex)
        }

        /// A Boolean value that indicates whether the head arrived in HTTP/2.
        var isHTTP2: Bool {
            UnsafeRawBufferPointer(start: memory, count: headLength).holds("HTTP/2")
        }

        /// A Boolean value that indicates whether the head arrived in HTTP/1.0 or HTTP/1.1.
        var isHTTP1: Bool {
            UnsafeRawBufferPointer(start: memory, count: headLength).holds("HTTP/1")
        }

        /// The parsed head, or nil if it is not HTTP.
        var parsedHead: ResponseHead? {
            ResponseHead(parsing: UnsafeRawBufferPointer(start: memory, count: headLength))
        }

        // MARK: The body

        /// Stores a portion, either for a stream or as a part of the whole body.
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
                // The announced length may be wrong.
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
                if gathered == CurlBuffers.size { endPortion() }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }

        /// Adds the collected bytes as a portion.
        private mutating func endPortion() {
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
            endPortion()
            defer {
                portions = []
                pending = 0
            }
            return portions
        }

        /// The complete body.
        var wholeBody: Data {
            portions.first
                ?? (used > headLength ? Data(bytes: memory + headLength, count: used - headLength) : Data())
        }

        /// The announced length of the body, or nil if it counts encoded bytes.
        private(set) lazy var announcedLength: Int? =
            if let headers = parsedHead?.headers, !headers.contains("Content-Encoding") {
                headers.contentLength
            } else {
                nil
            }

        /// A Boolean value that indicates whether the response is a redirect.
        private(set) lazy var isRedirect = parsedHead?.status.isFollowed ?? false

        /// The length of the encoded body, if the head declares it; 0 if such a response has no body.
        private(set) lazy var lengthOnWire: Int? = parsedHead?.lengthOnWire

        /// A Boolean value that indicates whether the body has a content encoding.
        lazy var isEncoded = parsedHead?.headers.contains("Content-Encoding") ?? false

        /// A Boolean value that indicates whether the body has a transfer encoding other than `chunked`.
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

    /// The lines of a head that declare the length of the body: a pure value.
    ///
    /// Most heads have at most one such line, with a number. Only the others are parsed for a check of their lengths.
    struct LengthLines {
        private var count = 0
        /// A Boolean value that indicates whether the lengths may be invalid: see ``ResponseHead/hasInvalidLength``.
        private(set) var needCheck = false

        /// A Boolean value that indicates whether a blank precedes the colon of a field, so that libcurl does not know it.
        private(set) var hasBlank = false

        mutating func add(_ line: UnsafeRawBufferPointer) {
            if let end = line.end(ofName: "content-length") {
                count += 1
                hasBlank = hasBlank || line.hasBlank(at: end)
                if count > 1 || !UnsafeRawBufferPointer(rebasing: line[(end + 1)...]).isPlainNumber { needCheck = true }
            } else if let end = line.end(ofName: "transfer-encoding") {
                hasBlank = hasBlank || line.hasBlank(at: end)
            } else if count > 0, line.hasBlank(at: 0) {
                // The line may continue the one before it.
                needCheck = true
            }
        }
    }

    extension UnsafeRawBufferPointer {
        fileprivate func hasBlank(at place: Int) -> Bool {
            place < count && (self[place] == 0x20 || self[place] == 0x09)
        }

        /// Returns the place after a name in lower case, if a line begins with it and has another byte.
        fileprivate func end(ofName name: StaticString) -> Int? {
            let length = name.utf8CodeUnitCount
            guard count > length, self[0] | 0x20 == name.utf8Start[0] else { return nil }
            return (1..<length).allSatisfy { self[$0] | 0x20 == name.utf8Start[$0] } ? length : nil
        }

        /// A Boolean value that indicates whether the bytes are a number of up to 18 digits, between blanks and line ends.
        fileprivate var isPlainNumber: Bool {
            var digits = 0
            var isOver = false
            for byte in self {
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9") where !isOver: digits += 1
                case 0x20, 0x09, 0x0D, 0x0A: isOver = digits > 0
                default: return false
                }
            }
            return 1...18 ~= digits
        }
    }
#endif
