/// Which fields of a response are kept with it.
enum StoredFields {
    /// The fields as they are kept (RFC 9111, 3.1): without those that speak of the connection, without those for which
    /// the server wants to be asked each time, and without cookies, which were set once, when the response came.
    static func of(_ headers: Headers, directives: ResponseDirectives, now: Double) -> Headers {
        var kept = durable(headers, except: directives.noCacheFields)
        // Who has a clock says when a response came that does not say so itself (RFC 9110, 6.6.1).
        if !kept.contains("Date") { kept.append(name: "Date", value: HTTPDate.text(now)) }
        return kept
    }

    /// The fields without those of the connection, cookies, and text that does not fit on a line.
    static func durable(_ headers: Headers, except names: [String] = []) -> Headers {
        var excluded = named(in: headers.all("Connection"))
        excluded.insert(names)
        return Headers(
            fields: headers.fields.filter { field in
                !isForConnection(field.name) && !isCookie(field.name) && !excluded.contains(field.name)
                    && field.name.isPlainLine && field.value.isPlainLine
            })
    }

    /// Puts the fields of a newer answer about the same content in the place of those that are kept (RFC 9111, 3.2).
    ///
    /// What describes the bytes that are kept stays: they have not been sent again.
    static func updated(_ kept: Headers, with newer: Headers) -> Headers {
        let names = namesToAskFor(newer, beside: kept)
        let connection = named(in: newer.all("Connection"))
        let fields = newer.fields.filter { field in
            !isForConnection(field.name) && !isCookie(field.name) && !describesBytes(field.name)
                && !connection.contains(field.name) && !names.contains(field.name)
        }
        var result = kept
        // An age counts from the response that it came with.
        result.remove("Age")
        if !names.isEmpty { result.fields.removeAll { names.contains($0.name) } }
        result.merge(Headers(fields: fields))
        return result
    }

    /// The fields of a newer answer about the same content that are for whoever asked now, and are not kept.
    static func passing(_ newer: Headers, beside kept: Headers) -> [Headers.Field] {
        let names = namesToAskFor(newer, beside: kept)
        let connection = named(in: newer.all("Connection"))
        return newer.fields.filter { field in
            (isCookie(field.name) || names.contains(field.name)) && !isForConnection(field.name)
                && !describesBytes(field.name) && !connection.contains(field.name)
        }
    }

    /// The fields that `no-cache` names, in a newer answer or, where that says nothing of it, in what is kept.
    private static func namesToAskFor(_ newer: Headers, beside kept: Headers) -> FieldNames {
        FieldNames(ResponseDirectives(newer.contains("Cache-Control") ? newer : kept).noCacheFields)
    }

    /// The fields that the sender says are for this connection only.
    static func named(in connection: [String]) -> FieldNames {
        connection.isEmpty ? FieldNames() : FieldNames(FieldList.elements(of: connection))
    }

    static func isForConnection(_ name: String) -> Bool {
        connectionFields.contains { $0.isSameField(as: name) }
    }

    private static func isCookie(_ name: String) -> Bool {
        name.isSameField(as: "Set-Cookie") || name.isSameField(as: "Set-Cookie2")
    }

    private static func describesBytes(_ name: String) -> Bool {
        byteFields.contains { $0.isSameField(as: name) }
    }

    private static let connectionFields = [
        "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authentication-Info",
        "Proxy-Authorization", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
    ]

    private static let byteFields = ["Content-Length", "Content-Encoding", "Content-Range"]
}
