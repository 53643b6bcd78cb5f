#if os(Linux)
    import TangoCCurl

    /// The fields of a request as the list that libcurl sends.
    enum CurlHeaderLines {
        /// Fields that libcurl would add by itself, unless it is told not to.
        private static let uninvited = ["Accept", "Expect", "Content-Type"]

        static func make(_ headers: Headers, contentType: String?, host: String?) -> UnsafeMutablePointer<curl_slist>? {
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
                // What looks blank to libcurl it would not send at all.
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
            for name in uninvited where !headers.contains(name) && !(name == "Content-Type" && contentType != nil) {
                text += name.utf8
                text.append(UInt8(ascii: ":"))
                append()
            }
            return lines
        }
    }

    extension String {
        /// Whether a field says how long a body is: what is said there must be true, so that the transport says it.
        fileprivate var isFraming: Bool {
            isSameField(as: "Content-Length") || isSameField(as: "Transfer-Encoding")
        }
    }
#endif
