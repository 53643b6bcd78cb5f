// A request is printed by `TextOutputStreamable`. With `CustomStringConvertible`, no subclass could have a variable
// `description`, a common name of a field.
extension Request: TextOutputStreamable {
    /// Writes the class, the method and the URL, for `print(request)`: `GetUser: GET https://api.example.com/users/1`.
    ///
    /// Credentials in the URL are redacted. If the request has no valid URL, the text has the reason.
    public func write<Target: TextOutputStream>(to target: inout Target) {
        target.write("\(type(of: self)): \(line)")
    }

    private var line: String {
        let (client, endpoint) = (client, endpoint)
        guard endpoint.isDeclared else { return "no endpoint" }
        let redaction =
            endpoint.secrets.isEmpty ? client.redaction : (client.redaction ?? .standard).adding(endpoint.secrets)
        do {
            let url = try RequestURL.make(
                base: client.baseURL, path: endpoint.path, query: endpoint.query, style: queryStyle)
            var message = HTTPRequest(method: endpoint.method, url: url)
            message.ownRedaction = redaction
            return "\(message)"
        } catch {
            return "\(endpoint.method), " + (redaction ?? .standard).redact(text: ErrorText.of(error))
        }
    }
}
