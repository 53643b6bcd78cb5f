// A mistake in the literal of an endpoint is found where it is, however long the literal.
import TangoRequest

struct User: Codable, Sendable { var id = 1 }

func member(user: User, title: String, page: Int, ids: [Int]) -> Endpoint {
    .post(
        "/posts", query: ["page": page, "ids": ids, "in": ["from": 1, "to": "x"], "user": user],
        headers: ["X-A": title],
        body: .json([
            "title": title, "ids": ids, "author": ["id": 1, "roles": ["a", nil]], "count": ids.count + 1,
            "name": user.name,  // error: value of type 'User' has no member 'name'
            "draft": true,
        ]))
}

func sum(title: String, page: Int) -> Endpoint {
    .post(
        "/posts", query: ["page": page],
        body: .json([
            "title": title, "in": ["a": 1, "b": "x"],
            "n": page + title,  // error: binary operator '+' cannot be applied to operands of type 'Int' and 'String'
            "draft": true,
        ]))
}

func header(title: String, page: Int) -> Endpoint {
    .get(
        "/posts", query: ["page": page, "q": title],
        headers: [
            "X-Title": title,
            "X-Page": page,  // error: cannot convert value of type 'Int' to expected dictionary value type 'String?'
        ])
}

func label(title: String) -> Endpoint {
    .get("/posts", quary: ["q": title, "in": ["a": 1]])  // error: incorrect argument label in call (have '_:quary:'
}

func parameters(_ ids: [Int: String]) -> Endpoint {
    .get("/posts", query: ids)  // error: cannot convert value of type '[Int : String]' to expected argument type
}
