/// Declarations of swift-http-types 1, as far as "HTTP types and OpenAPI" uses them.
///
/// Tango has no dependencies, and its tests cannot load those of others. So the files of this folder declare what the
/// articles on other packages use, under the names of their modules. They work as far as a test needs it.
enum HTTPTypes {
    struct HTTPRequest: Hashable, Sendable {
        struct Method: Hashable, RawRepresentable, Sendable {
            let rawValue: String

            init?(_ method: String) {
                guard !method.isEmpty, method.allSatisfy({ $0.isASCII && !$0.isWhitespace }) else { return nil }
                rawValue = method
            }

            init?(rawValue: String) { self.init(rawValue) }

            static var get: Self { Self(unchecked: "GET") }
            static var post: Self { Self(unchecked: "POST") }

            private init(unchecked method: String) { rawValue = method }
        }

        var method: Method
        var scheme: String?
        var authority: String?
        var path: String?
        var headerFields: HTTPFields

        init(
            method: Method, scheme: String?, authority: String?, path: String?, headerFields: HTTPFields = HTTPFields()
        ) {
            self.method = method
            self.scheme = scheme
            self.authority = authority
            self.path = path
            self.headerFields = headerFields
        }
    }

    struct HTTPResponse: Hashable, Sendable {
        struct Status: Hashable, Sendable {
            let code: Int
            let reasonPhrase: String

            init(code: Int, reasonPhrase: String = "") {
                self.code = code
                self.reasonPhrase = reasonPhrase
            }

            static var ok: Self { Self(code: 200, reasonPhrase: "OK") }
            static var badGateway: Self { Self(code: 502, reasonPhrase: "Bad Gateway") }
        }

        var status: Status
        var headerFields: HTTPFields

        init(status: Status, headerFields: HTTPFields = HTTPFields()) {
            self.status = status
            self.headerFields = headerFields
        }
    }

    struct HTTPField: Hashable, Sendable {
        struct Name: Hashable, Sendable {
            let rawName: String
            let canonicalName: String

            init?(_ name: String) {
                guard !name.isEmpty, name.allSatisfy({ $0.isASCII && !$0.isWhitespace && $0 != ":" }) else {
                    return nil
                }
                rawName = name
                canonicalName = name.lowercased()
            }
        }

        var name: Name
        var value: String
    }

    struct HTTPFields: Hashable, RandomAccessCollection, Sendable {
        private var fields: [HTTPField] = []

        init() {}

        var startIndex: Int { fields.startIndex }
        var endIndex: Int { fields.endIndex }
        subscript(position: Int) -> HTTPField { fields[position] }

        subscript(values name: HTTPField.Name) -> [String] {
            fields.filter { $0.name.canonicalName == name.canonicalName }.map(\.value)
        }

        mutating func append(_ field: HTTPField) { fields.append(field) }
    }
}
