extension CachePolicy: CustomStringConvertible {
    /// Such as `cacheElseNetwork, for 300 s, raw`.
    public var description: String {
        let hits =
            switch hit {
            case .maxAge(let age): "for \(age.text)"
            case .sliding(let age): "for \(age.text) after the last use"
            case .always: "always"
            }
        switch fetch {
        case .http, .networkOnly: return "\(fetch)"
        case .reload: return "\(fetch), \(write)"
        case .cacheElseNetwork, .cacheThenNetwork, .networkElseCache, .cacheOnly: return "\(fetch), \(hits), \(write)"
        }
    }
}

extension FailedAttempt: CustomStringConvertible {
    /// Such as `attempt 1, GET https://api.example.com/a: 503`, without secrets.
    public var description: String {
        let result = response.map { "\($0.status)" } ?? error.map { ErrorText.of($0) } ?? "no response"
        return "attempt \(number), \(request): \(request.redaction.knowing(request, response).redact(text: result))"
    }
}

extension Redirect: CustomStringConvertible {
    /// Such as `302 to GET https://api.example.com/b`, without secrets.
    public var description: String { "\(response.status) to \(request)" }
}

extension CallContext: CustomStringConvertible {
    /// The call, without secrets.
    public var description: String { "context of \(call)" }
}

extension Next: CustomStringConvertible {
    public var description: String { "the rest of the pipeline of \(context.call)" }
}
