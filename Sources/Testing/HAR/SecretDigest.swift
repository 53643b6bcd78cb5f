/// Computes digests of the secrets of requests, so that a replay tells `?code=DE` from `?code=FR`, although the recording
/// shows `?code=…` for both.
///
/// The key is in the same file, so a long digest would confirm a guess of a weak secret. Therefore a recording has only so many
/// digits as tell a request from those like it: usually one, which a sixteenth of all guesses share. A secret that is alone in
/// its request has the same digest in all requests, so that its digits do not add up.
struct SecretDigest: Sendable {
    /// A value that is secret because of its place, with the name of its field, or because it is known.
    private struct Secret: Hashable {
        var name = ""
        var value: [UInt8]
    }

    private let key: [UInt8]

    /// Creates a digest with a random key.
    init() {
        key = (0..<16).map { _ in UInt8.random(in: 0...UInt8.max) }
    }

    /// Creates a digest with the key of a recording; nil if the text is none.
    init?(key text: String) {
        guard let data = Data(base64Encoded: text), !data.isEmpty else { return nil }
        key = Array(data)
    }

    /// The key in base64.
    var text: String { Data(key).base64EncodedString() }

    /// Returns the digest of the secrets in the URL and in the body of a request. It is nil if there are none, or if they are
    /// unknown because they are from a recording.
    func value(of url: String, _ body: Data?, type: String, _ redaction: Redaction) -> UInt64? {
        var secrets = Self.secrets(in: url, redaction.redact(reference: url))
        if let body { secrets.formUnion(Self.secrets(in: body, type, redaction)) }
        let values = Set(secrets.map(\.value))
        guard !values.isEmpty, !values.contains(Array(Redaction.ellipsis.utf8)) else { return nil }
        if values.count == 1 { for value in values { return number(value) } }
        // The order of the fields makes no difference, so their digests are added.
        return secrets.reduce(into: 0) { sum, secret in sum &+= number(secret.name.utf8 + [0] + secret.value) }
    }

    private func number(_ bytes: [UInt8]) -> UInt64 {
        SHA256.digest(key + bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    static func digits(_ value: UInt64, count: Int = 16) -> String {
        let digits = String(value, radix: 16)
        return String((String(repeating: "0", count: 16 - digits.count) + digits).prefix(count))
    }

    private static func secrets(in url: String, _ shown: String) -> Set<Secret> {
        let (parts, shownParts) = (parts(of: url), parts(of: shown))
        guard parts.count == shownParts.count else { return [Secret(value: Array(url.utf8))] }
        return Set(
            zip(parts, shownParts).compactMap { part, shown in
                guard !part.elementsEqual(shown) else { return nil }
                let text = String(decoding: part, as: UTF8.self)
                let pair = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { PercentEncoding.decode($0, plusAsSpace: true) }
                return Secret(name: pair.count == 2 ? pair[0] : "", value: Array(pair[pair.count - 1].utf8))
            })
    }

    /// Returns the segments of the path and the items of the query. The fragment is not sent.
    private static func parts(of url: String) -> [ArraySlice<UInt8>] {
        Array(url.utf8.prefix { $0 != UInt8(ascii: "#") }).split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&")
        }
    }

    private static func secrets(in body: Data, _ type: String, _ redaction: Redaction) -> Set<Secret> {
        var secrets = Set(
            redaction.secretFields(of: body, contentType: type).map {
                Secret(name: $0.name, value: Array($0.value.utf8))
            })
        body.withUnsafeBytes { bytes in
            let bytes = bytes.assumingMemoryBound(to: UInt8.self)
            for place in redaction.search.places(in: bytes) { secrets.insert(Secret(value: Array(bytes[place]))) }
        }
        return secrets
    }
}

extension SecretDigest {
    func value(of request: HTTPRequest, _ redaction: Redaction) -> UInt64? {
        var body: Data?
        if case .data(let data) = request.body.legible { body = data }
        return value(of: request.url.absoluteString, body, type: request.typeOfBody, redaction)
    }
}

/// The digests in a recording, each with as many digits as tell it from the ones before it.
struct SecretDigits {
    private struct Known {
        let digest: UInt64
        let count: Int
    }

    /// The digests in their order, by the hash of the other parts of their requests.
    private var known: [Int: [Known]] = [:]

    /// Adds the digest of a request, and returns its first digits. A digest has the same digits each time.
    mutating func add(_ digest: UInt64, _ shape: RequestShape) -> String {
        let count = Self.add(digest, to: &known[shape.hashValue, default: []])
        return SecretDigest.digits(digest, count: count)
    }

    private static func add(_ digest: UInt64, to known: inout [Known]) -> Int {
        var range = 0..<known.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = known[middle].digest < digest ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        let place = range.lowerBound
        // The neighbours have the most digits in common.
        let neighbours = known[max(0, place - 1)..<min(place + 1, known.count)]
        if let same = neighbours.last, same.digest == digest { return same.count }
        let common = neighbours.map { ($0.digest ^ digest).leadingZeroBitCount / 4 }.max()
        let count = common.map { $0 + 1 } ?? 1
        known.insert(Known(digest: digest, count: count), at: place)
        return count
    }
}
