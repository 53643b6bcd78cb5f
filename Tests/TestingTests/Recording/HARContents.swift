import Foundation
import Testing

@testable import TestSupport

/// A HAR file, read without the types that wrote it, and compared with the list of fields of HAR 1.2.
struct HARContents {
    struct Entry {
        fileprivate let fields: [String: Any]

        /// The value of a field, as a text.
        subscript(_ path: String...) -> String? {
            var value: Any? = fields
            for name in path { value = (value as? [String: Any])?[name] }
            guard let value, !(value is [String: Any]) else { return nil }
            return value as? String ?? "\(value)"
        }

        /// The elements of a list of names and values.
        func pairs(_ path: String...) -> [String] {
            var value: Any? = fields
            for name in path { value = (value as? [String: Any])?[name] }
            return (value as? [[String: String]] ?? []).map { "\($0["name"] ?? "")=\($0["value"] ?? "")" }
        }
    }

    let entries: [Entry]
    let comment: String?
    /// Fields that are missing, unknown, or of another type.
    let problems: [String]

    init(_ file: URL) throws {
        let whole = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let log = whole["log"] as? [String: Any] ?? [:]
        entries = (log["entries"] as? [[String: Any]] ?? []).map(Entry.init)
        comment = log["comment"] as? String
        var problems = Self.root.problems(whole, "")
        for entry in entries {
            let timings = entry.fields["timings"] as? [String: Double] ?? [:]
            let sum = timings.filter { $0.key != "ssl" && $0.value > 0 }.values.reduce(0, +)
            if abs(sum - (entry.fields["time"] as? Double ?? -1)) > 0.01 { problems.append("time is not the sum") }
        }
        self.problems = problems
    }

    /// The fields of an object: all of HAR 1.2, and no others but those that begin with an underscore.
    private indirect enum Form: Sendable {
        case text, number
        case object(_ required: [String: Form], optional: [String: Form] = [:])
        case list(Form)

        func problems(_ value: Any, _ path: String) -> [String] {
            switch self {
            case .text: return value is String ? [] : ["\(path) is no text"]
            case .number: return value is NSNumber ? [] : ["\(path) is no number"]
            case .list(let form):
                guard let list = value as? [Any] else { return ["\(path) is no list"] }
                return list.flatMap { form.problems($0, path + "[]") }
            case .object(let required, let optional):
                guard let object = value as? [String: Any] else { return ["\(path) is no object"] }
                var problems = required.keys.filter { object[$0] == nil }.map { "\(path).\($0) is missing" }
                for (name, value) in object where !name.hasPrefix("_") {
                    guard let form = required[name] ?? optional[name] else {
                        problems.append("\(path).\(name) is unknown")
                        continue
                    }
                    problems += form.problems(value, "\(path).\(name)")
                }
                return problems
            }
        }
    }

    private static let pair = Form.object(["name": .text, "value": .text], optional: ["comment": .text])
    private static let cookie = Form.object(
        ["name": .text, "value": .text], optional: ["path": .text, "domain": .text, "comment": .text])
    private static let request = Form.object(
        [
            "method": .text, "url": .text, "httpVersion": .text, "cookies": .list(cookie), "headers": .list(pair),
            "queryString": .list(pair), "headersSize": .number, "bodySize": .number,
        ],
        optional: [
            "postData": .object(
                ["mimeType": .text, "params": .list(pair), "text": .text], optional: ["comment": .text]),
            "comment": .text,
        ])
    private static let response = Form.object(
        [
            "status": .number, "statusText": .text, "httpVersion": .text, "cookies": .list(cookie),
            "headers": .list(pair),
            "content": .object(
                ["size": .number, "mimeType": .text],
                optional: ["compression": .number, "text": .text, "encoding": .text, "comment": .text]),
            "redirectURL": .text, "headersSize": .number, "bodySize": .number,
        ], optional: ["comment": .text])
    private static let timings = Form.object(
        ["send": .number, "wait": .number, "receive": .number],
        optional: ["blocked": .number, "dns": .number, "connect": .number, "ssl": .number, "comment": .text])
    private static let entry = Form.object(
        [
            "startedDateTime": .text, "time": .number, "request": request, "response": response,
            "cache": .object([:], optional: ["comment": .text]), "timings": timings,
        ], optional: ["serverIPAddress": .text, "connection": .text, "pageref": .text, "comment": .text])
    private static let root = Form.object([
        "log": .object(
            [
                "version": .text, "creator": .object(["name": .text, "version": .text], optional: ["comment": .text]),
                "entries": .list(entry),
            ], optional: ["comment": .text])
    ])
}
