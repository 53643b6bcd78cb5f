import Foundation
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The rules that all transports share.
@Suite struct TransferRulesTests {
    private func request(_ headers: Headers = [:]) -> HTTPRequest {
        HTTPRequest(url: URL(string: "http://a.test/")!, headers: headers)
    }

    @Test func aResponseIsDecodedUnlessTheRequestChoosesItsEncoding() {
        let options = TransportOptions()
        #expect(options.decodes(request()))
        #expect(!options.decodes(request(["Accept-Encoding": "identity"])))
        #expect(!options.decodes(request(["Range": "bytes=0-1"])))
        #expect(!TransportOptions(decompression: nil).decodes(request()))
    }

    @Test func unrequestedEncodingsHaveLimitsToo() {
        let options = TransportOptions(decompression: Decompression(ratio: 3, allowance: 5, limit: 7))
        #expect(options.decodingLimits(decodes: true) == Decompression(ratio: 3, allowance: 5, limit: 7))
        #expect(options.decodingLimits(decodes: false) == Decompression(ratio: 3, allowance: 5))
        #expect(TransportOptions(decompression: nil).decodingLimits(decodes: false) == Decompression())
    }

    @Test(
        arguments: [
            (.stream, 100, 100, false), (.whole(limit: nil), .max / 2, .max / 2, false),
            (.whole(limit: 10), 4, 6, false), (.whole(limit: 10), 5, 6, true), (.whole(limit: -1), 1, 0, true),
            (.whole(limit: 0), 0, 0, false),
        ] as [(TransportOptions.Delivery, Int, Int, Bool)])
    func aWholeBodyHasALimit(_ delivery: TransportOptions.Delivery, _ count: Int, _ total: Int, _ isExcess: Bool) {
        let excess = TransportOptions(delivery: delivery).excess(of: count, after: total)
        #expect(excess?.code == (isExcess ? .responseTooLarge : nil))
    }

    @Test(
        arguments: [
            (true, true, true, .receive), (false, false, true, .connect), (false, true, true, .send),
            (false, true, false, .wait),
        ] as [(Bool, Bool, Bool, RequestError.Phase)])
    func aPhaseFollowsFromTheProgressOfAnExchange(
        _ hasHead: Bool, _ isConnected: Bool, _ isSending: Bool, _ phase: RequestError.Phase
    ) {
        #expect(RequestError.Phase(hasHead: hasHead, isConnected: isConnected, isSending: isSending) == phase)
    }

    @Test func errorsPreserveTheirRequest() {
        let error = RequestError(.badBody, phase: .send, detail: "a", request: request(["A": "1"]))
        #expect(error.with(request(["B": "2"])).request?.headers["A"] == "1")
        #expect(
            RequestError(.badBody, phase: .send, detail: "a").with(request(["B": "2"])).request?.headers["B"] == "2")
    }

    @Test(
        arguments: [
            (.seconds(1), 1_000_000_007), (.zero, 7), (.seconds(-1), 7), (.nanoseconds(-1), 7),
            (.seconds(Int64.max), .max),
        ] as [(Duration, Int64)])
    func addingADurationToATimeDoesNotOverflow(_ duration: Duration, _ sum: Int64) {
        #expect(Int64(7).adding(duration) == sum)
    }
}
