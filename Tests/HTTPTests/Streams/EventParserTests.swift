import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// The rules of the WHATWG for event streams, at every boundary of portions.
struct EventParserTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        var events: [ServerSentEvent] = []
        var lastEventID = ""
        var retry: UInt64?
    }

    private static func message(_ data: String, id: String = "", type: String = "message") -> ServerSentEvent {
        ServerSentEvent(type: type, data: data, id: id)
    }

    static let rows = [
        Row(testDescription: "an event", text: "data: a\n\n", events: [message("a")]),
        Row(testDescription: "no space after the colon", text: "data:a\n\n", events: [message("a")]),
        Row(testDescription: "one space is removed", text: "data:  a \n\n", events: [message(" a ")]),
        Row(testDescription: "a tab stays", text: "data:\ta\n\n", events: [message("\ta")]),
        Row(
            testDescription: "several lines", text: "data: YHOO\ndata: +2\ndata: 10\n\n",
            events: [message("YHOO\n+2\n10")]),
        Row(
            testDescription: "carriage returns", text: "data: a\r\rdata: b\rdata: c\r\r",
            events: [message("a"), message("b\nc")]),
        Row(
            testDescription: "both line ends", text: "data: a\r\n\r\ndata: b\r\n\r\n",
            events: [message("a"), message("b")]),
        Row(
            testDescription: "mixed line ends", text: "data: a\r\n\ndata: b\n\r\ndata: c\r\n\r\r\n",
            events: [message("a"), message("b"), message("c")]),
        Row(
            testDescription: "a line feed, then a carriage return", text: "data: a\n\rdata: b\n\n",
            events: [message("a"), message("b")]),
        Row(testDescription: "a byte order mark", text: "\u{FEFF}data: a\n\n", events: [message("a")]),
        Row(testDescription: "two byte order marks", text: "\u{FEFF}\u{FEFF}data: a\n\n"),
        Row(testDescription: "a later byte order mark", text: "data: a\n\n\u{FEFF}data: b\n\n", events: [message("a")]),
        Row(
            testDescription: "a comment", text: ": comment\n\n:\n\ndata: a\n: more\ndata: b\n\n",
            events: [message("a\nb")]),
        Row(testDescription: "no data", text: "event: a\nid: 1\n\n", lastEventID: "1"),
        Row(
            testDescription: "the type is forgotten without data", text: "event: a\n\ndata: b\n\n",
            events: [message("b")]),
        Row(testDescription: "empty data", text: "data\n\ndata\ndata\n\ndata:", events: [message(""), message("\n")]),
        Row(testDescription: "empty data with a colon", text: "data:\n\n", events: [message("")]),
        Row(testDescription: "no end", text: "data: a\n\ndata: b\n", events: [message("a")]),
        Row(testDescription: "no end of the line", text: "data: a\n\ndata: b", events: [message("a")]),
        Row(
            testDescription: "a type", text: "event: add\ndata: 1\n\ndata: 2\n\n",
            events: [message("1", type: "add"), message("2")]),
        Row(testDescription: "an empty type", text: "event: add\nevent:\ndata: 1\n\n", events: [message("1")]),
        Row(
            testDescription: "the last type counts", text: "event: a\nevent: b\ndata: 1\n\n",
            events: [message("1", type: "b")]),
        Row(
            testDescription: "identifiers stay", text: "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
            events: [message("a", id: "1"), message("b", id: "1"), message("c")]),
        Row(
            testDescription: "an identifier without an end", text: "id: 1\ndata: a\n\nid: 2\n",
            events: [message("a", id: "1")], lastEventID: "1"),
        Row(
            testDescription: "an identifier with NUL", text: "id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n",
            events: [message("a", id: "1"), message("b", id: "1")], lastEventID: "1"),
        Row(testDescription: "retry", text: "retry: 1500\n\n", retry: 1500),
        Row(testDescription: "retry counts without an end", text: "retry: 1500\n", retry: 1500),
        Row(
            testDescription: "retry that is no number",
            text: "retry: 10\nretry: 1e3\nretry: -1\nretry:\nretry:  5\nretry: +5\n", retry: 10),
        Row(testDescription: "retry that is too large", text: "retry: 99999999999999999999999\n", retry: .max),
        Row(
            testDescription: "unknown fields", text: "datas: a\ndat: a\nDATA: a\n data: a\nfoo\ndata: b\n\n",
            events: [message("b")]),
        Row(testDescription: "a colon in the value", text: "data: a:b:c\n\n", events: [message("a:b:c")]),
        Row(testDescription: "characters of several bytes", text: "data: a😀é\n\n", events: [message("a😀é")]),
        Row(testDescription: "empty lines", text: "\n\n\r\n\rdata: a\n\n\n\n", events: [message("a")]),
        Row(testDescription: "nothing", text: ""),
    ]

    private static func read(_ portions: [Data], limit: Int = 1000) throws -> (
        events: [ServerSentEvent], parser: EventParser
    ) {
        var parser = EventParser(limit: limit)
        var events: [ServerSentEvent] = []
        for portion in portions {
            parser.append(portion)
            while let event = try parser.next({
                ServerSentEvent(type: $1, data: String(decoding: $0, as: UTF8.self), id: $2)
            }) {
                events.append(event)
            }
        }
        return (events, parser)
    }

    private func check(_ row: Row, _ portions: [Data]) throws {
        let (events, parser) = try Self.read(portions)
        #expect(events == row.events, "\(portions.map(\.count))")
        let id = row.lastEventID.isEmpty ? row.events.last?.id ?? "" : row.lastEventID
        #expect(parser.lastEventID == id)
        #expect(parser.retry == row.retry)
    }

    @Test(arguments: rows)
    func parsesAtEveryBoundary(_ row: Row) throws {
        let bytes = Data(row.text.utf8)
        try check(row, [bytes])
        try check(row, bytes.map { Data([$0]) })
        for first in 0...bytes.count {
            for second in first...bytes.count {
                try check(row, [bytes[..<first], bytes[first..<second], bytes[second...]])
            }
        }
    }

    @Test func invalidTextIsRepaired() throws {
        let events = try Self.read([Data("data: a".utf8) + [0xFF, 0xC3] + Data("\n\n".utf8)]).events
        #expect(events.map(\.data) == ["a\u{FFFD}\u{FFFD}"])
    }

    @Test(arguments: [
        "data: 0123456789\n\n", "data: 012345\ndata: 6789\n\n", "0123456789012345678901", "id: 0123456789012345\n",
    ])
    func largeEventsAreRefused(_ text: String) {
        for size in [1, 3, 100] {
            let bytes = Data(text.utf8)
            let portions = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            #expect(throws: ElementExcess(element: "an event", limit: 15)) { try Self.read(portions, limit: 15) }
        }
    }

    @Test func manySmallEventsPassASmallLimit() throws {
        #expect(
            try Self.read([Data(String(repeating: "data: 0123456\n\n", count: 1000).utf8)], limit: 15).events.count
                == 1000)
    }

    @Test(arguments: ["\r", "\n", "\r\n"])
    func linesMayHaveAnyLength(_ end: String) throws {
        for length in Array(1010...1030) + [5000] {
            let data = String(repeating: "x", count: length)
            let events = try Self.read([Data("data: \(data)\(end)\(end)".utf8)], limit: 10_000).events
            #expect(events == [Self.message(data)])
        }
    }

    /// The search for one kind of line end does not go on after the other: this body would take minutes otherwise.
    @Test(arguments: ["\r", "\n"])
    func manyLinesWithOneKindOfEndTakeLinearTime(_ end: String) throws {
        let comment = ":" + String(repeating: "x", count: 62) + end
        let body = String(repeating: comment, count: 300_000) + "data: a\(end)\(end)"
        #expect(try Self.read([Data(body.utf8)]).events == [Self.message("a")])
    }

    @Test func restartDropsTheOpenEventAndKeepsTheIdentifier() throws {
        var parser = EventParser(limit: 1000, lastEventID: "0")
        parser.append(Data("id: 7\ndata: a\n\nevent: x\nid: 8\ndata: b\r".utf8))
        #expect(try parser.next { _, _, id in id } == "7")
        #expect(try parser.next { _, _, id in id } == nil)
        parser.restart()
        parser.append(Data("\u{FEFF}data: c\n\n".utf8))
        let event = try parser.next { ServerSentEvent(type: $1, data: String(decoding: $0, as: UTF8.self), id: $2) }
        #expect(event == ServerSentEvent(data: "c", id: "7"))
    }

    /// Random streams give the same events in one portion and in random ones, as a plain implementation of the rules does.
    @Test(arguments: 0..<200)
    func randomStreams(seed: Int) throws {
        var random = Seeded(seed)
        let pieces = [
            "data", "id", "event", "retry", ":", ": ", "\n", "\r", "\r\n", "\n\n", "a", "1", "\0", "é", " ", "\u{FEFF}",
            "data: x\n\n",
        ]
        let text = (0..<random.below(60)).map { _ in pieces[random.below(pieces.count)] }.joined()
        let bytes = Data(text.utf8)
        var portions: [Data] = []
        var place = 0
        while place < bytes.count {
            let end = min(bytes.count, place + 1 + random.below(7))
            portions.append(bytes[place..<end])
            place = end
        }
        let expected = PlainEvents(text)
        for portions in [[bytes], portions] {
            let (events, parser) = try Self.read(portions, limit: 10_000)
            #expect(events == expected.events, "\(text.debugDescription)")
            #expect(parser.lastEventID == expected.lastEventID)
            #expect(parser.retry == expected.retry)
        }
    }
}

/// A plain implementation of the rules, for whole texts.
private struct PlainEvents {
    var events: [ServerSentEvent] = []
    var lastEventID = ""
    var retry: UInt64?

    init(_ text: String) {
        var scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var lines: [String] = []
        var line = String.UnicodeScalarView()
        var place = 0
        while place < scalars.count {
            defer { place += 1 }
            guard scalars[place] == "\n" || scalars[place] == "\r" else {
                line.append(scalars[place])
                continue
            }
            if scalars[place] == "\r", place + 1 < scalars.count, scalars[place + 1] == "\n" { place += 1 }
            lines.append(String(line))
            line = String.UnicodeScalarView()
        }
        var (data, type, id) = ([String](), "", "")
        for line in lines {
            if line.unicodeScalars.isEmpty {
                lastEventID = id
                if !data.isEmpty {
                    events.append(
                        ServerSentEvent(
                            type: type.isEmpty ? "message" : type, data: data.joined(separator: "\n"), id: id))
                }
                (data, type) = ([], "")
                continue
            }
            let parts = line.unicodeScalars.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
                Array.init)
            let name = String(String.UnicodeScalarView(parts[0]))
            var value = parts.count > 1 ? parts[1] : []
            if value.first == " " { value.removeFirst() }
            let content = String(String.UnicodeScalarView(value))
            switch name {
            case "data": data.append(content)
            case "event": type = content
            case "id": if !value.contains("\0") { id = content }
            case "retry":
                if !value.isEmpty, value.allSatisfy({ ("0"..."9").contains($0) }) { retry = UInt64(content) ?? .max }
            default: break
            }
        }
    }
}

/// A generator of random numbers that repeats itself.
struct Seeded {
    private var state: UInt64

    init(_ seed: Int) {
        state = UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    }

    mutating func below(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(max(1, limit)))
    }
}
