import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// The links of `Link` fields.
struct LinkTests {
    private static func link(_ target: String, _ relations: [String] = [], _ parameters: [String: String] = [:]) -> Link
    {
        Link(target: target, relations: relations, parameters: parameters)
    }

    static let rows: [(fields: [String], links: [Link])] = [
        ([], []), ([""], []), ([","], []), (["next"], []), (["<a"], []),
        (["<a>"], [link("a")]),
        (["<a>; rel=next"], [link("a", ["next"])]),
        (["<a>;rel=\"next\""], [link("a", ["next"])]),
        (["<a> ; rel = \"next\" ; title = x"], [link("a", ["next"], ["title": "x"])]),
        (["<a>; rel=\"prev  Next\""], [link("a", ["prev", "next"])]),
        (["<a>; REL=NEXT"], [link("a", ["next"])]),
        (["<a>; rel=next; rel=last"], [link("a", ["next"])]),
        (["<a>; rel=next, <b>; rel=last"], [link("a", ["next"]), link("b", ["last"])]),
        (["<a>; rel=next", "<b>; rel=last"], [link("a", ["next"]), link("b", ["last"])]),
        (["<a,b;c>; rel=next,<d>"], [link("a,b;c", ["next"]), link("d")]),
        (["<a>; title=\"x, <b>; \\\"y\\\"\"; rel=next"], [link("a", ["next"], ["title": "x, <b>; \"y\""])]),
        (["<a>; rel; x"], [link("a", [], ["x": ""])]),
        (["<a>;;; rel=next;"], [link("a", ["next"])]),
        (["<a>; rel=\"next"], [link("a", ["next"])]),
        (["broken, <b>; rel=next"], [link("b", ["next"])]),
        (["<a> junk, <b>; rel=next"], [link("b", ["next"])]),
        (["<a> \"x, <c>; rel=next\", <b>; rel=next"], [link("b", ["next"])]),
        (["<>; rel=next"], [link("", ["next"])]),
        (["<a>; anchor=\"#x\"; rel=next"], [link("a", ["next"], ["anchor": "#x"])]),
        (
            ["<https://api.example.com/u?page=2>; rel=\"next\", <https://api.example.com/u?page=9>; rel=\"last\""],
            [link("https://api.example.com/u?page=2", ["next"]), link("https://api.example.com/u?page=9", ["last"])]
        ),
    ]

    @Test(arguments: rows)
    func linksAreParsed(fields: [String], links: [Link]) {
        #expect(Link.links(in: fields) == links)
    }

    /// The end of a link that has none is searched for once: this value would take minutes otherwise.
    @Test func linksWithoutAnEndTakeLinearTime() {
        #expect(Link.links(in: ["<a>, " + String(repeating: "<,", count: 200_000)]) == [Self.link("a")])
    }

    /// Random values neither trap nor hang, and links that were written are read.
    @Test(arguments: 0..<300)
    func randomValues(seed: Int) {
        var random = Seeded(seed)
        let pieces = ["<", ">", ";", ",", "\"", "\\", "=", " ", "\t", "rel", "next", "a", "é", "rel=next", "<a>"]
        let value = (0..<random.below(40)).map { _ in pieces[random.below(pieces.count)] }.joined()
        _ = Link.links(in: [value])
        let title = value.filter { $0 != "\"" && $0 != "\\" }
        let written = "<x?\(seed)>; title=\"\(title)\"; rel=\"next\""
        #expect(Link.links(in: [written, written]).map(\.parameters) == [["title": title], ["title": title]])
        #expect(Link.links(in: [written]).first?.relations == ["next"])
    }
}
