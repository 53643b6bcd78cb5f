import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Properties of encoding that hold for any text, checked with random texts.
@Suite struct EncodingPropertyTests {
    @Test(arguments: 0..<8)
    func encodedTextIsDecoded(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<300 {
            let text = numbers.text(controls: true)
            for set in [PercentEncodeSet.component, .form, .segment] {
                let encoded = PercentEncoding.encode(text, set)
                #expect(encoded.utf8.allSatisfy { $0 == UInt8(ascii: "%") || !set.contains($0) })
                #expect(PercentEncoding.decode(exactly: encoded)?.utf8.elementsEqual(text.utf8) == true)
            }
        }
    }

    @Test(arguments: 0..<8)
    func queryIsParsedBack(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<200 {
            let pairs = (0..<4).map { _ in (numbers.text(controls: true), numbers.text(controls: true)) }
            let query = Query(pairs: pairs)
            for text in [try query.encoded(), try query.formEncoded(), try query.encoded(QueryStyle(spaces: .plus))] {
                #expect(Query(parsing: text) == query)
            }
        }
    }

    @Test(arguments: 0..<8)
    func anyPathStaysBelowTheBaseURL(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let base = try #require(URL(string: "https://user:pass@h.example:8443/v1?key=k"))
        for _ in 0..<300 {
            let path = "/" + numbers.text(controls: false)
            let query: Query = [numbers.text(controls: true): numbers.text(controls: true)]
            do {
                let url = try RequestURL.make(base: base, path: path, query: query)
                #expect(url.absoluteString.hasPrefix("https://user:pass@h.example:8443/v1/"))
                #expect(url.host() == "h.example")
                #expect(url.port == 8443)
                let parts = URLParts(url.absoluteString[...])
                #expect(Query(parsing: parts.query ?? "").fields.last == query.fields.last)
                #expect(try RequestURL.make(base: nil, path: url.absoluteString).absoluteString == url.absoluteString)
                let normalized = RequestURL.normalized(url)
                #expect(RequestURL.normalized(try #require(URL(string: normalized))) == normalized)
            } catch let error as RequestEncodingError {
                #expect(error.code == .dotSegment, "\(path.debugDescription): \(error)")
            }
        }
    }

    @Test(arguments: 0..<8)
    func segmentsDoNotSplit(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let base = try #require(URL(string: "https://h.example/v1"))
        for _ in 0..<300 {
            let segments = [numbers.text(controls: true) + "x", numbers.text(controls: true) + "y"]
            let url = try RequestURL.make(base: base, path: PercentEncoding.path(segments: segments[0], segments[1]))
            let parts = URLParts(url.absoluteString[...])
            #expect(parts.query == nil && parts.fragment == nil)
            let found = parts.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2)
            #expect(found.map { PercentEncoding.decode($0) } == segments)
        }
    }

    @Test(arguments: 0..<8)
    func malformedInputNeverTraps(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        var made = 0
        for _ in 0..<300 {
            let text = numbers.text(controls: true)
            for path in [text, "https:" + text, "https://" + text, "//" + text, "http://h:" + text, "http://[" + text] {
                if let url = try? RequestURL.make(base: nil, path: path) {
                    made += 1
                    #expect(url.scheme?.hasPrefix("http") == true)
                    #expect(url.host()?.isEmpty == false)
                }
            }
            _ = MIMEType(parsing: text)
            _ = MIMEType(parsing: "a/b;c=\"" + text)
            _ = MIMEType(fileName: text)
            let type = MIMEType(parsing: "a/b;c=" + text)
            #expect(type.map { MIMEType(parsing: $0.description) == $0 } ?? true)
            let head = try Multipart.Part.data(Data(), named: text, fileName: text).head()
            #expect(head.utf8.count { $0 == UInt8(ascii: "\r") } == 3)
        }
        #expect(made > 0)
    }

    /// Encoding to the maximal depth fits into the small stack of a thread.
    @Test func deepestValueNeedsLittleStack() async {
        final class Circle: Encodable {
            var next: [String: Circle?] = [:]
        }
        let code = await withCheckedContinuation { continuation in
            let thread = Thread {
                let circle = Circle()
                circle.next = ["next": circle]
                defer { circle.next = [:] }
                do {
                    _ = try Query(encoding: circle).encoded()
                    continuation.resume(returning: nil as RequestEncodingError.Code?)
                } catch {
                    continuation.resume(returning: (error as? RequestEncodingError)?.code)
                }
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(code == .tooDeep)
    }
}

extension SeededNumbers {
    /// Returns a text of characters with a special meaning and of other characters.
    fileprivate mutating func text(controls: Bool) -> String {
        let special = Array("/?#[]@:!$&'()*+,;=%.~-_\\|^`{}<>\" 09afAF".unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...24, using: &self) {
            switch Int.random(in: 0..<10, using: &self) {
            case 0: text += "%2e".unicodeScalars
            case 1: Unicode.Scalar(UInt32.random(in: 0xa0...0x10_ffff, using: &self)).map { text.append($0) }
            case 2 where controls: text.append(Unicode.Scalar(UInt8.random(in: 0...0x1f, using: &self)))
            case 3: text.append("\u{301}")
            default: special.randomElement(using: &self).map { text.append($0) }
            }
        }
        return String(text)
    }
}
