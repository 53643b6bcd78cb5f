/// The fields of a request that the cache uses, found in one pass.
struct RequestFields {
    var directives = RequestDirectives()
    var range: String?
    var ifRange: String?
    var ifNoneMatch: [String] = []
    var ifModifiedSince: String?
    /// A Boolean value that indicates whether the request has `If-Match` or `If-Unmodified-Since`.
    /// Only the server can evaluate them.
    var isForServer = false

    init(_ headers: Headers) {
        var hasDirectives = false
        for field in headers.fields {
            let name = field.name
            switch name.utf8.count {
            case 5 where name.isSameField(as: "Range"): range = range ?? field.value
            case 6 where name.isSameField(as: "Pragma"): hasDirectives = true
            case 8 where name.isSameField(as: "If-Range"): ifRange = ifRange ?? field.value
            case 8 where name.isSameField(as: "If-Match"): isForServer = true
            case 13 where name.isSameField(as: "Cache-Control"): hasDirectives = true
            case 13 where name.isSameField(as: "If-None-Match"): ifNoneMatch.append(field.value)
            case 17 where name.isSameField(as: "If-Modified-Since"): ifModifiedSince = ifModifiedSince ?? field.value
            case 19 where name.isSameField(as: "If-Unmodified-Since"): isForServer = true
            default: break
            }
        }
        if hasDirectives { directives = RequestDirectives(headers) }
    }

    var isConditional: Bool { !ifNoneMatch.isEmpty || ifModifiedSince != nil }
}
