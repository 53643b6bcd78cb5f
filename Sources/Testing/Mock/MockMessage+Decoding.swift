extension MockMessage {
    /// Decodes the body as a transport does, if its head announces codings.
    ///
    /// - Parameter hasBody: False if the response has no body, whatever its stub says.
    mutating func decode(for request: HTTPRequest, hasBody: Bool, _ options: TransportOptions) {
        let codings = head.headers.contentEncodings
        guard options.decodes(request), !codings.isEmpty else { return }
        head.headers.remove("Content-Encoding")
        head.headers.remove("Content-Length")
        head.isDecoded = true
        guard hasBody, !portions.isEmpty else { return }
        for coding in codings.reversed() { decode(coding, options.decodingLimits(decodes: true)) }
    }

    private mutating func decode(_ coding: String, _ limits: Decompression) {
        guard ["gzip", "x-gzip", "deflate"].contains(coding) else {
            portions = []
            end = .failure(
                .badEncoding,
                "MockTransport decodes gzip and deflate, and not \(coding.debugDescription): \(Self.advice)")
            return
        }
        let body = portions.reduce(into: Data(), +=)
        var inflation = Inflation(limits)
        do throws(Inflation.Problem) {
            if coding == "deflate" { try inflation.readDeflate(body) } else { try inflation.readGzip(body) }
        } catch {
            switch error {
            // Transports deliver what has arrived.
            case .isTruncated: break
            case .isDamaged:
                end = .failure(.badEncoding, "the body of the stub is not valid \(coding): \(Self.advice)")
            case .isTooLong:
                end = .failure(
                    .decompressionLimit, "the body of the stub exceeds the limits of `decompression`: raise them")
            case .noLibrary(let reason):
                end = .failure(
                    .badEncoding,
                    "the body of the stub cannot be decoded without zlib: install it (zlib1g on Debian and Ubuntu), or "
                        + "remove the header Content-Encoding (\(reason))")
            }
        }
        portions = inflation.output.isEmpty ? [] : [inflation.output]
    }

    private static let advice = "give the stub the compressed bytes, or remove its header Content-Encoding"
}
