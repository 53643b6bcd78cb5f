#if os(Linux)
    import TangoCCurl

    extension CurlTransfer {
        /// The longest body that is passed to libcurl at once, with the head of the request.
        private static let atOnce = 64 << 10

        static func content(
            of request: HTTPRequest, options: TransportOptions
        ) throws -> (Content, (any CurlUpload)?) {
            do {
                switch request.body.content {
                case .none: return (.none, nil)
                case .data(let data) where data.count <= atOnce && options.onEvent == nil: return (.posted(data), nil)
                case .data(let data): return (.uploaded(length: data.count), CurlDataUpload(data))
                case .file(let url):
                    guard url.isFileURL else {
                        throw RequestError.badBody(
                            "\(url.absoluteString.debugDescription) is not the URL of a file: create it with URL(filePath:)"
                        )
                        .at(.prepare)
                    }
                    let file = try CurlFileUpload(url)
                    return (.uploaded(length: file.length), file)
                case .stream(let stream): return (.uploaded(length: stream.length), CurlStreamUpload(stream))
                }
            } catch let error as RequestError {
                throw error.with(request)
            }
        }

        /// The key of the limits for the server.
        var host: String { address.origin }

        /// The addresses of the host as a line for libcurl, or nil if libcurl looks them up.
        var addressLine: String? {
            guard let addresses = loop.addresses[address.host], !addresses.isEmpty else { return nil }
            return "\(address.host):\(address.port):\(addresses.joined(separator: ","))"
        }

        /// Returns the URL for libcurl. It contains the certificate name instead of the host, if there is one.
        static func url(of request: HTTPRequest, certificateName name: String?) throws(RequestError) -> String {
            guard let name else { return request.url.absoluteString }
            var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
            parts?.host = name.contains(":") ? "[\(name)]" : name
            guard let text = parts?.string else {
                throw RequestError(
                    .badTrust, phase: .prepare,
                    detail: "the host of the URL cannot be replaced by the certificate name \(name): check the name",
                    request: request)
            }
            return text
        }

        /// The real host and port, for a URL that contains the certificate name.
        var detour: String {
            let host = address.zone.map { "[\(address.host)%\($0)]" } ?? address.bracketed
            return "\(host):\(address.port)"
        }

        /// The `Host` field for such a URL.
        var hostLine: String? {
            guard trust?.tls.certificateName != nil else { return nil }
            return address.namesPort ? "\(address.bracketed):\(address.port)" : address.bracketed
        }

        /// A Boolean value that indicates whether the request may share its connection with others at the same time.
        var mayMultiplex: Bool { isSecure && offersHTTP2 }

        /// A Boolean value that indicates whether the request may use HTTP/2.
        var offersHTTP2: Bool {
            loop.configuration.http2
                && !(isSecure && (hasLongHead || isLong && CurlLibrary.losesEarlyResponses))
        }

        /// The inputs of the choice of the HTTP version.
        var versionChoice: CurlVersionChoice {
            let configuration = loop.configuration
            return CurlVersionChoice(
                http3: configuration.http3, offersHTTP2: offersHTTP2, isSecure: isSecure,
                hasDetour: configuration.unixSocket != nil || configuration.proxy.host != nil,
                hasTrustRules: trust != nil)
        }

        /// A Boolean value that indicates whether the body is too long to be sent together with the head.
        private var isLong: Bool {
            if case .uploaded(let length) = content { length ?? .max > Self.atOnce } else { false }
        }

        var isSecure: Bool { address.isSecure }
    }

    extension String {
        /// A user name or a password, encoded for libcurl, which takes both in one text.
        var percentEncodedForCurl: String {
            String(
                decoding: utf8.flatMap { byte -> [UInt8] in
                    let isPlain = byte.isTokenCharacter && byte != UInt8(ascii: "%")
                    return isPlain
                        ? [byte]
                        : Array("%".utf8)
                            + [byte >> 4, byte & 15].map { "0123456789ABCDEF".utf8.dropFirst(Int($0)).first! }
                }, as: UTF8.self)
        }
    }

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
