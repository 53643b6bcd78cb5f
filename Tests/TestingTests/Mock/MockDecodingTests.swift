import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import TangoTesting
import Testing

@testable import TestSupport

/// Stubs with compressed bodies. Each response is compared with that of a real transport for the same bytes.
@Suite(.timeLimit(.minutes(20)))
struct MockDecodingTests {
    struct Sample: CustomTestStringConvertible {
        let testDescription: String
        let coding: String
        let bytes: Data

        init(_ name: String, _ coding: String, _ bytes: Data) {
            testDescription = name
            self.coding = coding
            self.bytes = bytes
        }
    }

    /// The squares of the numbers below 100, as zlib compresses them.
    private static let deflated =
        "FZHJAQAhCANboQQR5Oi/MScvXQnJwB5zS1vzsvssynKt0sbNzzG/nJlUUSwSNPdxzlrcRE83ukzOSXt37XVZoSvO5rt5H+qLbku+"
        + "NPrBwR0rl6dfzD2Ukop7yi0BlEgaIp8UA4T3iMJFfM/ajZN28zhkdNzSrfU2qi66UEfgL2jIA79InEMZ0aTFkBsLQR5YUlQZ8GVC"
        + "mgVztqbVGO8wz3MNHJqYij3N/Fq35a0OVbqcbdJRj95qXGrw6/O0HDqaTOtHbjcEvbCMVj8Xvkn9i4J5BvrVHCi4Qck2mXLn+Ac="
    private static let zlib = Data([0x78, 0xda]) + decoded(deflated) + Data([36, 247, 84, 136])
    private static let gzip =
        Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]) + decoded(deflated) + Data([194, 47, 48, 86, 197, 1, 0, 0])

    private static func decoded(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }

    private static func changed(_ bytes: Data, _ place: Int) -> Data {
        var bytes = bytes
        bytes[place < 0 ? bytes.count + place : place] ^= 0x10
        return bytes
    }

    /// Damage in each byte that matters. Of a header, the time and the system may have any value.
    private static let damaged: [Sample] =
        [0, 1, 2, 10, 12, 20, -1, -4, -5, -8].map { Sample("gzip, byte \($0)", "gzip", changed(gzip, $0)) }
        + [2, 8, -1, -4].map { Sample("zlib, byte \($0)", "deflate", changed(zlib, $0)) }

    static let samples: [Sample] =
        [
            Sample("gzip", "gzip", gzip), Sample("old name", "x-gzip", gzip),
            Sample("upper case", "GZIP", gzip), Sample("zlib", "deflate", zlib),
            Sample("plain blocks", "deflate", decoded(deflated)), Sample("no coding", "identity", gzip),
            Sample("two codings", "deflate, gzip", Gzip.stored(zlib)),
            Sample("identity and gzip", "identity, gzip", gzip),
            Sample("stored blocks", "gzip", Gzip.stored(generated(130_000))),
            Sample("fixed codes", "gzip", Gzip.zeroes(repeats: 1000)),
            Sample("dynamic codes", "gzip", Gzip.bomb(repeats: 50, isWhole: true)),
            Sample("no bytes", "gzip", Data()), Sample("no bytes of another coding", "rot13", Data()),
            Sample("plain text", "gzip", Data("plain text".utf8)),
            Sample("plain text as deflate", "deflate", Data("plain text".utf8)),
            Sample("another coding", "rot13", Data("plain text".utf8)),
            Sample("another coding within gzip", "rot13, gzip", gzip),
            Sample("bomb", "gzip", Gzip.bomb(repeats: 280_000, isWhole: false)),
        ] + damaged
        + [1, 9, 15, 60, 120].map { Sample("first \($0) bytes", "gzip", gzip.prefix($0)) }

    /// The parts of a result that a program depends on.
    private struct Result: Equatable {
        var status: Int?
        var body: Data?
        var headers: [String] = []
        var code: RequestError.Code?
        var phase: RequestError.Phase?
    }

    private func result(_ transport: any Transport, _ request: HTTPRequest, _ options: TransportOptions) async throws
        -> Result
    {
        func names(_ headers: Headers) -> [String] {
            headers.map { "\($0.name): \($0.value)" }.filter { $0.lowercased().hasPrefix("content-") }.sorted()
        }
        do {
            var response = try await transport.send(request, options: options)
            try await response.collect()
            return Result(status: response.status.code, body: response.body, headers: names(response.headers))
        } catch let error as RequestError {
            let response = error.response
            // The body of a bomb ends anywhere.
            return Result(
                status: response?.status.code, body: error.code == .decompressionLimit ? nil : response?.body,
                headers: response.map { names($0.headers) } ?? [], code: error.code, phase: error.phase)
        }
    }

    #if os(Linux)
        @Test(arguments: samples, [TransportOptions.Delivery.whole(), .stream])
        func decodesAsTheTransport(_ sample: Sample, _ delivery: TransportOptions.Delivery) async throws {
            let site = try Site()
            let mock = MockTransport()
            let transport = CurlTransport()
            site.server.answer(with: Response.bytes(sample.bytes).header("Content-Encoding", sample.coding))
            mock.stub(
                .get, "/a",
                .data(sample.bytes, type: "application/octet-stream").header("Content-Encoding", sample.coding)
                    .header("Content-Length", "\(sample.bytes.count)"))
            for headers in [[:], ["Accept-Encoding": "gzip"], ["Range": "bytes=0-9"]] as [Headers] {
                let request = HTTPRequest(url: site.server.url.appendingPathComponent("a"), headers: headers)
                let options = TransportOptions(timeouts: .patient, delivery: delivery)
                #expect(try await result(mock, request, options) == result(transport, request, options))
            }
            await transport.shutdown()
        }
    #endif

    /// A stub is often given plain text with the headers of a real response.
    @Test(arguments: ["gzip", "br"])
    func errorOfPlainTextSaysWhatToDo(_ coding: String) async throws {
        let mock = MockTransport()
        let client = Client(baseURL: URL(string: "https://api.example.com")) { $0.transport = mock }
        mock.stub(.get, "/a", .json(["id": 1]).header("Content-Encoding", coding))
        let error = try await failure { try await client.get("/a", as: String.self).value }
        #expect(error.code == .badEncoding)
        #expect(error.detail.contains("remove its header Content-Encoding"), "\(error)")
    }

    #if os(Linux)
        @Test func withoutTheLibraryTheErrorNamesThePackage() async throws {
            let child = try await RequestChild(
                "compressedStub", environment: ["TANGO_ZLIB_LIBRARY": "/nonexistent/libz.so"])
            #expect(child["code"] == "badEncoding")
            #expect(child["detail"]?.contains("install it (zlib1g on Debian and Ubuntu)") == true)
        }
    #endif
}
