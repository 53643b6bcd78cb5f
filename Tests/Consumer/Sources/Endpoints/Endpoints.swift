// Endpoints as users declare them, with literals of every shape. They must compile without a warning and without an
// annotation where a person would not think of one, and no expression may be long to type-check. It is built with
// the default isolation of an app as well, where models say `nonisolated`.
import Foundation
import Tango

nonisolated struct Account: Codable, Sendable { var id = 0, name: String?, isActive = true }
nonisolated struct Line: Codable, Sendable { var product = "", count = 1 }
nonisolated struct Filter: Codable, Sendable { var author: Int?, tags: [String] = [] }
nonisolated enum Sort: String { case newest, oldest }
nonisolated enum Level: Int, Codable, Sendable { case low = 1, high }

// MARK: Queries

final class ListAccounts: Request<[Account]> {
    var name: String?
    var page = 1
    var sort = Sort.newest
    var level: Level?
    override var endpoint: Endpoint {
        .get(
            "/accounts", query: ["name": name, "page": page, "limit": 20, "sort": sort, "level": level, "active": true])
    }
}

final class ListByIDs: Request<[Account]> {
    var ids: [Int] = []
    var range: ClosedRange<Int> = 1...9
    override var endpoint: Endpoint {
        .get(
            "/accounts",
            query: ["ids": ids, "in": ["from": range.lowerBound, "to": range.upperBound], "q": ["a", "b"]])
    }
}

final class ListByDictionary: Request<[Account]> {
    var parameters = ["name": "Ada", "sort": "newest"]
    override var endpoint: Endpoint { .get("/accounts", query: parameters) }
}

final class ListByCounts: Request<[Account]> {
    var counts = ["min": 1, "max": 9]
    var texts: [String: String?] = [:]
    override var endpoint: Endpoint {
        .get("/accounts", query: ["counts": counts, "texts": texts, "x": [1, "b", nil]])
    }
}

final class ListByFilter: Request<[Account]> {
    var filter = Filter()
    override var endpoint: Endpoint { .get("/accounts", query: Query(encoding: filter)) }
}

final class ListByMixedFilter: Request<[Account]> {
    var filter = Filter()
    var since = Date()
    override var endpoint: Endpoint {
        .get("/accounts", query: ["filter": filter, "since": since, "in": ["a": 1, "b": "x", "c": nil]])
    }
}

final class Feed: Request<Data> {
    var cursor: UUID?
    override var endpoint: Endpoint {
        .get("/feed", query: Query(["a": 1]) + ["cursor": cursor, "fields": ["id", "name"].joined(separator: ",")])
    }
}

final class Submit: Request<Data> {
    var fields = ["b": "2", "a": "1"]
    override var endpoint: Endpoint {
        .post("/form", query: Query(fields), body: .form(["name": "Ada", "tags": ["a", "b"]]))
    }
}

// MARK: Headers

/// A base class with a token, and a subclass that adds to its headers.
class SignedRequest<Output: Sendable>: Request<Output> {
    var token: String?
    override var headers: Headers { ["Authorization": token.map { "Bearer \($0)" }, "Accept": "application/json"] }
}

final class Export: SignedRequest<Data> {
    override var endpoint: Endpoint { .get("/export", headers: ["X-Part": "1", "X-None": nil]) }
    override var headers: Headers { super.headers + ["Accept": "text/csv", "X-Extra": "1"] }
}

// MARK: JSON

final class CreateAccount: SignedRequest<Account> {
    var name = ""
    var nickname: String?
    var roles = ["reader"]
    override var endpoint: Endpoint {
        .post(
            "/accounts", body: .json(["name": name, "nickname": nickname, "roles": roles, "draft": true, "none": nil]))
    }
}

final class SaveAccount: SignedRequest<Account> {
    var account = Account()
    override var endpoint: Endpoint { .put("/accounts/\(account.id)", body: .json(account)) }
}

final class UpdateAccount: SignedRequest<Account> {
    var account = Account()
    var labels = ["a", "b"]
    override var endpoint: Endpoint {
        .patch("/accounts/\(account.id)", body: .json(["account": account, "tags": labels, "count": labels.count + 1]))
    }
}

final class Call: Request<JSONValue> {
    var method = "sum"
    var id = 7
    override var endpoint: Endpoint {
        .post("/rpc", body: .json(["jsonrpc": "2.0", "method": method, "params": [1, "a", true, nil], "id": id]))
    }
}

final class Batch: Request<JSONValue> {
    var first = 1
    override var endpoint: Endpoint {
        .post("/rpc", body: .json([["id": first, "method": "a"], ["id": 2, "method": "b", "params": [1, 2]]]))
    }
}

final class GraphQL: Request<JSONValue> {
    var text = "query { user { name } }"
    var after: String?
    var ids = [1, 2]
    override var endpoint: Endpoint {
        .post(
            "/graphql",
            body: .json(["query": text, "variables": ["first": 20, "after": after, "ids": ids, "kind": "all"]]))
    }
}

final class PostMessage: Request<Void> {
    var channel = ""
    var text = ""
    override var endpoint: Endpoint {
        .post(
            "/messages",
            body: .json([
                "channel": channel,
                "blocks": [
                    ["type": "section", "text": ["type": "mrkdwn", "text": text, "verbatim": false]],
                    ["type": "divider", "size": 2],
                    ["type": "actions", "elements": [["type": "button", "value": 1, "url": nil]]],
                ],
                "unfurl": nil,
            ]))
    }
}

/// A type of the application beside literals of mixed values.
final class Order: Request<Void> {
    var account = Account()
    var lines = [Line()]
    var coupon: String?
    override var endpoint: Endpoint {
        .post(
            "/orders",
            body: .json([
                "account": account, "lines": lines, "coupon": coupon,
                "meta": ["source": "app", "version": 2, "debug": false],
                "list": [1, "a", account, ["in": lines, "n": 1]],
            ]))
    }
}

/// Fifteen fields of all kinds.
final class Report: Request<Void> {
    var title = ""
    var note: String?
    var page = 1
    var ratio = 0.5
    var isDraft = false
    var labels = ["a"]
    var date = Date()
    var id = UUID()
    var link = URL(string: "https://example.com")
    var price: Decimal = 1
    override var endpoint: Endpoint {
        .post(
            "/reports", query: ["page": page, "draft": isDraft, "since": date, "q": note],
            headers: ["X-Trace": "\(id)", "X-Note": note],
            body: .json([
                "title": title, "note": note, "page": page + 1, "ratio": ratio, "draft": !isDraft, "tags": labels,
                "date": date, "id": id, "link": link, "price": price, "count": labels.count,
                "label": "\(title) \(page)",
                "first": labels.first ?? "none", "author": ["id": 1, "name": note, "roles": ["a", "b"]],
                "meta": ["a": ["b": ["c": 1, "d": nil, "e": [1.5, 2]]]],
            ]))
    }
}

/// Fields that are put together by parts.
final class Assembled: Request<Void> {
    var account = Account()
    var note: String?
    override var endpoint: Endpoint {
        var fields: JSONFields = ["account": account, "kind": Level.high]
        if let note { fields.append(note, named: "note") }
        fields.append(JSONFields(["z": 1, "a": note]), named: "meta")
        return .post("/parts", body: .json(fields))
    }
}

// MARK: Without a class

func endpoints(account: Account, parameters: [String: String]) {
    let one: Promise<Account> = Client.get("/accounts/1", query: ["fields": ["id", "name"]])
    let two = Client.put("/accounts/1", body: .json(account), as: Account.self)
    let three = Client.patch("/accounts/1", body: .json(["name": account.name, "levels": [1, "two"]]), as: Void.self)
    let four = Client.delete("/accounts/1", as: Void.self)
    let five = Client.head("/accounts/1", as: HTTPResponse.self)
    let six = Client.options("/accounts", as: HTTPResponse.self)
    let seven = Client.default.request(.get("/accounts", query: parameters), as: [Account].self)
    Promise.all(one, two).next { "\($0) \($1)" }.catch { print("\($0)") }
    Promise.all(three, four).catch { print("\($0)") }
    Promise.all(five, six, seven).next { "\($0.status) \($1.status) \($2.count)" }.catch { print("\($0)") }
}
