/// The `Last-Event-ID` header field.
enum LastEventID {
    /// Returns the value of the field for an identifier; nil if nothing is sent.
    ///
    /// A header field cannot carry control characters, so they are left out.
    static func field(_ id: String) -> String? {
        var text = id
        text.unicodeScalars.removeAll { $0.properties.generalCategory == .control }
        return text.isEmpty ? nil : text
    }
}
