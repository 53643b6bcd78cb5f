#if os(Linux)
    import TangoCCurl

    /// The fields of a request as the list that libcurl sends.
    enum CurlHeaderLines {
        /// Fields that libcurl adds by itself unless they are suppressed.
        private static let automatic = ["Accept", "Expect", "Content-Type"]

        static func make(_ headers: Headers, contentType: String?, host: String?, expects: Bool)
            -> UnsafeMutablePointer<curl_slist>?
        {
            var lines: UnsafeMutablePointer<curl_slist>?
            var text: [UInt8] = []
            func append() {
                text.append(0)
                text.withUnsafeBytes { bytes in
                    lines = curl_slist_append(lines, bytes.bindMemory(to: CChar.self).baseAddress)
                }
                text.removeAll(keepingCapacity: true)
            }
            for field in headers.fields where !field.name.isFraming {
                text += field.name.utf8
                // libcurl drops a field with a blank value, unless it is written with a semicolon.
                if field.value.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
                    text.append(UInt8(ascii: ";"))
                } else {
                    text.append(UInt8(ascii: ":"))
                    text.append(UInt8(ascii: " "))
                    text += field.value.utf8
                }
                append()
            }
            if let host, !headers.contains("Host") {
                text += "Host: \(host)".utf8
                append()
            }
            if let contentType, !headers.contains("Content-Type") {
                text += "Content-Type: ".utf8
                text += contentType.utf8
                append()
            }
            if expects, !headers.contains("Expect") {
                text += "Expect: 100-continue".utf8
                append()
            }
            for name in automatic
            where !(name == "Expect" && expects) && !headers.contains(name)
                && !(name == "Content-Type" && contentType != nil)
            {
                text += name.utf8
                text.append(UInt8(ascii: ":"))
                append()
            }
            return lines
        }
    }

    extension String {
        /// A Boolean value that indicates whether a field declares the length of a body. The transport sets these
        /// fields itself, because they must be correct.
        fileprivate var isFraming: Bool {
            isSameField(as: "Content-Length") || isSameField(as: "Transfer-Encoding")
        }
    }
#endif
