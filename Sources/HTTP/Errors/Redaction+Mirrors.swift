// Mirrors are the source of dump, debuggers and test libraries. These mirrors show no more than the descriptions.

extension Headers: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: Redaction.standard.redact(self).map { ($0.name, $0.value) })
    }
}

extension Query: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["query": description]) }
}

extension Query.Field: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}

extension Body: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
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
