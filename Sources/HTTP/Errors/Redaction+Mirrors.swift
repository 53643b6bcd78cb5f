// Mirrors are the source of dump, debuggers and test libraries. These mirrors show no more than the descriptions.

/// A type whose mirror shows its description only, because its properties may be secrets.
package protocol DescribedOnly: CustomStringConvertible, CustomReflectable {}

extension DescribedOnly {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension Query: DescribedOnly {}
extension Query.Field: DescribedOnly {}
extension Body: DescribedOnly {}

extension Headers: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: Redaction.standard.redact(self).map { ($0.name, $0.value) })
    }
}

extension HTTPRequest: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["request": description, "headers": redaction.redact(headers), "body": body.description])
    }
}

extension HTTPResponse: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "response": description, "headers": redactionOfHeaders.redact(headers),
                "request": request?.description as Any,
            ])
    }
}

extension RequestError: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["error": debugDescription]) }
}
