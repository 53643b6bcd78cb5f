// A body is made of what can be encoded, and may be encoded on another thread.
import TangoRequest

final class View {}
struct Point: Sendable {}
final class Draft: Codable {}
func values() -> [String: Any] { ["id": 1, "name": "Ada"] }

let view = Body.json(View())  // error: the value is not Encodable: conform its type to Encodable and Sendable
let point = Body.json(Point())  // error: the value is not Encodable: conform its type to Encodable and Sendable
let mixed = Body.json(values())  // error: a dictionary of `Any` is not Encodable: write `.json([…])` with a literal
let draft = Body.json(Draft())  // error: type 'Draft' does not conform to the 'Sendable' protocol
