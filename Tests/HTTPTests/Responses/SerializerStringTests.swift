import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct SerializerStringTests {
    @Test(
        arguments: [
            (nil, Array("Grüße 你好".utf8), "Grüße 你好"),
            ("text/plain", Array("Grüße".utf8), "Grüße"),
            ("text/plain; charset=utf-8", Array("Grüße".utf8), "Grüße"),
            ("text/plain;charset=\"UTF-8\"", Array("Grüße".utf8), "Grüße"),
            ("text/plain; charset=iso-8859-1", [0x47, 0x72, 0xFC, 0xDF, 0x65], "Grüße"),
            ("text/plain; x=\";charset=utf-16\"; Charset=Latin1", [0xE9], "é"),
            ("text/plain; charset=windows-1252", [0x80, 0xE9], "€é"),
            ("text/plain; charset=us-ascii", Array("abc".utf8), "abc"),
            ("text/plain; charset=utf-16le", [0x41, 0, 0x3D, 0xD8, 0x00, 0xDE], "A😀"),
            ("text/plain; charset=utf-16", [0, 0x41, 0xD8, 0x3D, 0xDE, 0x00], "A😀"),
            ("text/plain; charset=utf-16be", [0, 0x41, 0x42], "A\u{FFFD}"),
            ("text/plain", [0x93, 0x47, 0xFC, 0x94], "“Gü”"),
            (nil, [0xEF, 0xBB, 0xBF, 0x41], "A"),
            ("text/plain; charset=iso-8859-1", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
            (nil, [0xFE, 0xFF, 0, 0x41], "A"), (nil, [0xFF, 0xFE, 0x41, 0], "A"),
            ("text/plain; charset=utf-8", [0x41, 0xFF], "A\u{FFFD}"),
            ("text/plain; charset=unheard-of", Array("abc".utf8), "abc"),
            ("text/plain; charset=", Array("abc".utf8), "abc"), ("nonsense", Array("abc".utf8), "abc"),
            (nil, [], ""),
        ] as [(String?, [UInt8], String)])
    func encodingOfTextIsDetected(_ type: String?, _ bytes: [UInt8], _ expected: String) throws {
        var response = HTTPResponse(status: 200, body: Data(bytes))
        response.headers["Content-Type"] = type
        #expect(try Serializer.string.serialize(response) == expected)
    }

    @Test func errorNamesAnUnknownEncoding() throws {
        let response = HTTPResponse(
            status: 200, headers: ["Content-Type": "text/plain; charset=gbk"], body: Data([0xC4, 0xE3]))
        let error = try #require(throws: RequestError.self) { try Serializer.string.serialize(response) }
        #expect(error.code == .notDecodable)
        #expect(error.detail.contains("\"gbk\""))
    }
}
