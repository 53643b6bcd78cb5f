/// Selects the fields of a response that are stored with it.
enum StoredFields {
    /// Returns the fields to store (RFC 9111, 3.1). It leaves out the fields of the connection and the fields that the
    /// server wants revalidated each time. A cached `Set-Cookie` sets no cookie: cookies are recorded at the transport.
    static func of(_ headers: Headers, directives: ResponseDirectives, now: Double) -> Headers {
        var kept = durable(headers, except: directives.noCacheFields)
        // A recipient with a clock adds the date if the response has none (RFC 9110, 6.6.1).
        if !kept.contains("Date") { kept.append(name: "Date", value: HTTPDate.text(now)) }
        return kept
    }

    /// Returns the fields without those of the connection, and without text that does not fit on a line.
    static func durable(_ headers: Headers, except names: [String] = []) -> Headers {
        var excluded = named(in: headers.all("Connection"))
        excluded.insert(names)
        return Headers(
            fields: headers.fields.filter { field in
                !isForConnection(field.name) && !excluded.contains(field.name) && field.name.isPlainLine
                    && field.value.isPlainLine
            })
    }

    /// Replaces stored fields by those of a newer response for the same content (RFC 9111, 3.2).
    ///
    /// Fields that describe the stored bytes stay, because the bytes were not sent again.
    static func updated(_ kept: Headers, with newer: Headers) -> Headers {
        let names = namesToAskFor(newer, beside: kept)
        let connection = named(in: newer.all("Connection"))
        let fields = newer.fields.filter { field in
            !isForConnection(field.name) && !describesBytes(field.name) && !connection.contains(field.name)
                && !names.contains(field.name)
        }
        var result = kept
        // An age belongs to the response that it came with.
        result.remove("Age")
        if !names.isEmpty { result.fields.removeAll { names.contains($0.name) } }
        result.merge(Headers(fields: fields))
        return result
    }

    /// Returns the fields of a newer response for the same content that are passed to the caller, but not stored.
    static func passing(_ newer: Headers, beside kept: Headers) -> [Headers.Field] {
        let names = namesToAskFor(newer, beside: kept)
        let connection = named(in: newer.all("Connection"))
        return newer.fields.filter { field in
            names.contains(field.name) && !isForConnection(field.name) && !describesBytes(field.name)
                && !connection.contains(field.name)
        }
    }

    /// Returns the fields that `no-cache` names in the newer response, or in the stored fields if that has no
    /// directives.
    private static func namesToAskFor(_ newer: Headers, beside kept: Headers) -> FieldNames {
        FieldNames(ResponseDirectives(newer.contains("Cache-Control") ? newer : kept).noCacheFields)
    }

    /// Returns the fields that the sender declares to be for this connection only.
    static func named(in connection: [String]) -> FieldNames {
        connection.isEmpty ? FieldNames() : FieldNames(FieldList.elements(of: connection))
    }

    static func isForConnection(_ name: String) -> Bool {
        connectionFields.contains { $0.isSameField(as: name) }
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
