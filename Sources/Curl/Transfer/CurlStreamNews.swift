#if os(Linux)
    /// A message about HTTP/2 streams, from the debug output of libcurl. It indicates whether a server has processed a
    /// request without a response. A server that closes a connection names the last stream that it processed.
    enum CurlStreamNews: Equatable {
        case opened(Int)
        case refused
        case goodbye(last: Int)

        init?(_ line: UnsafeRawBufferPointer) {
            if line.holds("REFUSED_STREAM") {
                self = .refused
            } else if line.holds("Using Stream ID: ") {
                guard let number = Self.number(in: line, after: "Using Stream ID: ") else { return nil }
                self = .opened(number)
            } else if line.holds("[HTTP/2] [") {
                guard let number = Self.number(in: line, after: "[HTTP/2] ["),
                    Self.place(of: "] OPENED", in: line) != nil
                else { return nil }
                self = .opened(number)
            } else if line.first == UInt8(ascii: "r") || line.first == UInt8(ascii: "["),
                Self.place(of: "GOAWAY, error=", in: line) != nil
            {
                guard let number = Self.number(in: line, after: "last_stream=") else { return nil }
                self = .goodbye(last: number)
            } else {
                return nil
            }
        }

        private static func place(of text: StaticString, in line: UnsafeRawBufferPointer) -> Int? {
            line.indices.first { line.holds(text, at: $0) }.map { $0 + text.utf8CodeUnitCount }
        }

        private static func number(in line: UnsafeRawBufferPointer, after text: StaticString) -> Int? {
            guard let place = place(of: text, in: line) else { return nil }
            return Int(String(decoding: line[place...].prefix { $0 >= 0x30 && $0 <= 0x39 }, as: UTF8.self))
        }
    }
#endif
