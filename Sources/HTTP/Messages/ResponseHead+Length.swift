extension Headers {
    /// The number in `Content-Length`; nil if there is none, or an invalid one (RFC 9110, 8.6).
    ///
    /// Equal values of repeated fields count as one. A sign, a fraction or an overflow is invalid.
    package var contentLength: Int? {
        var length: Int?
        for value in all("Content-Length") {
            for part in value.split(separator: ",", omittingEmptySubsequences: false) {
                let digits = part.utf8.drop { $0 == 0x20 || $0 == 0x09 }
                let number = digits.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
                let rest = digits.dropFirst(number.count).drop { $0 == 0x20 || $0 == 0x09 }
                guard rest.isEmpty, let count = Int(Substring(number)), length ?? count == count else { return nil }
                length = count
            }
        }
        return length
    }
}

extension Headers {
    /// A Boolean value that indicates whether the body has a transfer coding other than chunks, which do not encode its
    /// bytes (RFC 9112, 6.1).
    package var isTransferEncoded: Bool {
        all("Transfer-Encoding").contains { value in
            value.utf8.split(separator: UInt8(ascii: ",")).contains { coding in
                let name = coding.filter { $0 != 0x20 && $0 != 0x09 }.map(\.lowercasedASCII)
                return !name.isEmpty && name != Array("chunked".utf8) && name != Array("identity".utf8)
            }
        }
    }
}

extension ResponseHead {
    /// A Boolean value that indicates whether the head declares a length that is not one number, so that the end of the body
    /// is in doubt (RFC 9112, 6.3).
    ///
    /// The lengths of a response without a body are checked too, because such a head is as doubtful. Chunks take the place of
    /// every length.
    package var hasInvalidLength: Bool {
        headers.contains("Content-Length") && headers.contentLength == nil && !headers.contains("Transfer-Encoding")
    }

    /// The length of the body as it is sent (RFC 9112, 6.3): 0 if a response with this status has no body, and nil if
    /// the head does not contain it.
    package var lengthOnWire: Int? {
        switch status.code {
        case 204, 304: 0
        default: headers.contains("Transfer-Encoding") ? nil : headers.contentLength
        }
    }
}
