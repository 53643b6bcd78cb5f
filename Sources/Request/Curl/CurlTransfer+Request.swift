#if os(Linux)
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    extension CurlTransfer {
        /// Up to so many bytes are handed over at once, with the head of the request.
        private static let smallest = 64 << 10

        static func content(
            of request: HTTPRequest, options: TransportOptions
        ) throws -> (Content, (any CurlUpload)?) {
            do {
                switch request.body.content {
                case .none: return (.none, nil)
                case .data(let data) where data.count <= smallest && options.onEvent == nil: return (.posted(data), nil)
                case .data(let data): return (.uploaded(length: data.count), CurlDataUpload(data))
                case .file(let url):
                    guard url.isFileURL else {
                        throw RequestError.badBody("\(url.absoluteString.debugDescription) is not the URL of a file")
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

        /// The server the request goes to, as a limit counts it.
        var host: String {
            "\(request.url.scheme ?? ""):\(request.url.host?.lowercased() ?? ""):\(port)"
        }

        /// The line that tells libcurl the addresses of the request's host; nil where it is to look them up.
        var addressLine: String? {
            guard let host = request.url.host?.lowercased(), let addresses = loop.addresses[host], !addresses.isEmpty
            else { return nil }
            return "\(host):\(port):\(addresses.joined(separator: ","))"
        }

        private var port: Int {
            request.url.port ?? (request.url.scheme?.lowercased() == "https" ? 443 : 80)
        }
    }

    extension String {
        /// A user name or a password, in the form in which libcurl takes both in one text.
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
#endif
