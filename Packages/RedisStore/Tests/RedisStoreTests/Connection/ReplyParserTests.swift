import Foundation
import TangoCHiredis
import TangoCache
import Testing

@testable import RedisStore

/// The parser of hiredis with the functions of this package.
@Suite(.enabled(if: tango_hiredis_load() == nil, "it needs a Redis server's library hiredis"))
struct ReplyParserTests {
    /// Parses bytes that arrive in portions of a size.
    private func replies(_ text: String, portion: Int) -> [Reply]? {
        guard let parser = ReplyParser() else { return nil }
        var replies: [Reply] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            guard rest.prefix(portion).withUnsafeBytes({ parser.feed($0) }) else { return nil }
            rest = rest.dropFirst(portion)
            parsing: while true {
                switch parser.next() {
                case .reply: replies.append(parser.reply)
                case .needsMore: break parsing
                case .invalid: return nil
                }
            }
        }
        return replies
    }

    private static let nested = "*3\r\n*2\r\n:1\r\n$2\r\nab\r\n*0\r\n$-1\r\n"

    @Test(
        arguments: [
            ("+OK\r\n", [.string(Data("OK".utf8))]),
            ("-ERR wrong\r\n", [.error("ERR wrong")]),
            (":-7\r\n:8\r\n", [.integer(-7), .integer(8)]),
            ("$0\r\n\r\n$-1\r\n", [.string(Data()), .null]),
            ("*-1\r\n", [.null]),
            (nested, [.array([.array([.integer(1), .string(Data("ab".utf8))]), .array([]), .null])]),
        ] as [(String, [Reply])], [1, 3, 1_000])
    func repliesAreParsed(_ example: (text: String, replies: [Reply]), _ portion: Int) {
        #expect(replies(example.text, portion: portion) == example.replies)
        #expect(replies(example.text + example.text, portion: portion) == example.replies + example.replies)
    }

    @Test(arguments: ["?\r\n", "OK\r\n", "$x\r\n", "*1\r\n?\r\n"]) func garbageIsRejected(_ text: String) {
        #expect(replies(text, portion: 1_000) == nil)
    }

    @Test func aReplyThatWasTakenStaysWhileTheParserGoesOn() throws {
        guard let parser = ReplyParser() else { throw CacheError(.system, "There is no memory.") }
        let pool = ReplyPool()
        let large = String(repeating: "x", count: 100_000)
        var taken: [ReplyMemory] = []
        for text in ["a", large, "b", "c"] {
            #expect(Array("*2\r\n$\(text.utf8.count)\r\n\(text)\r\n:5\r\n".utf8).withUnsafeBytes { parser.feed($0) })
            guard case .reply = parser.next() else {
                Issue.record("no reply")
                return
            }
            taken.append(parser.take(pool))
            // The memory of this one is used again.
            if text == "b" { taken.removeLast() }
        }
        let texts = taken.map { memory in memory.withText(at: 1) { String(decoding: $0, as: UTF8.self) } }
        #expect(texts == ["a", large, "c"])
        #expect(taken.allSatisfy { $0.count == 3 && $0.number(at: 0) == 2 && $0.number(at: 2) == 5 })
    }

    @Test(
        arguments: [
            (.any, "+a\r\n", true), (.string, "+a\r\n", true), (.string, "$-1\r\n", true), (.string, ":1\r\n", false),
            (.integer, ":1\r\n", true), (.integer, "$-1\r\n", false), (.array, "*0\r\n", true),
            (.array, "$1\r\na\r\n", false), (.array, "-ERR\r\n", true), (.integer, "-ERR\r\n", true),
        ] as [(Reply.Shape, String, Bool)])
    func shapesAcceptTheirReplies(_ shape: Reply.Shape, _ text: String, _ isAccepted: Bool) throws {
        guard let parser = ReplyParser() else { throw CacheError(.system, "There is no memory.") }
        #expect(Array(text.utf8).withUnsafeBytes { parser.feed($0) })
        guard case .reply = parser.next() else {
            Issue.record("no reply")
            return
        }
        #expect(shape.accepts(parser.type) == isAccepted)
    }
}
