extension Endpoint {
    /// Sets an item of the query, and removes those of the same name from the query and from the path.
    mutating func replace(_ name: String, with value: QueryValue) {
        let parts = URLParts(path: path[...])
        if let items = parts.query?.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let kept = items.filter { item in
                let encoded = item.prefix { $0 != UInt8(ascii: "=") }
                return !PercentEncoding.decode(Substring(encoded), plusAsSpace: true).hasSameBytes(as: name)
            }
            if kept.count < items.count {
                path = String(parts.path)
                if !kept.isEmpty { path += "?" + kept.map { String(Substring($0)) }.joined(separator: "&") }
                if let fragment = parts.fragment { path += "#" + fragment }
            }
        }
        if query[name] == nil { query.fields = query.fields.compactMap { $0.without(name) } }
        query[name] = value
    }
}

extension Query.Field {
    /// Returns the field without the nested value of a name, such as `page[number]`; nil if nothing is left of it.
    @inline(never)
    fileprivate func without(_ wanted: String) -> Query.Field? {
        guard case .fields(var inner) = value else { return self }
        inner.fields = inner.fields.compactMap { field in
            let nested = Query.Field(name: "\(name)[\(field.name)]", value: field.value)
            if nested.name.hasSameBytes(as: wanted) { return nil }
            return nested.without(wanted).map { Query.Field(name: field.name, value: $0.value) }
        }
        return inner.isEmpty ? nil : Query.Field(name: name, value: .fields(inner))
    }
}
