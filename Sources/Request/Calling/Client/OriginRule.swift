/// Decides which URLs receive the credentials that a client adds by itself.
///
/// They go to the origin of the base URL and to the origins that the client trusts. Requests for other URLs are sent
/// without the client's `Authorization`, `Cookie` and every other header that ``Redaction`` hides.
///
/// The rule knows nothing of requests or calls, so that every stage that adds credentials can use it.
package struct OriginRule: Sendable {
    private let origins: Set<Origin>
    /// The reason why an entry of the trusted origins is not an origin, and how to write it; nil if all of them are.
    let problem: String?

    /// Creates the rule of a client. Without a base URL and without trusted origins, no URL receives credentials.
    init(baseURL: URL?, trustedOrigins: [String]) {
        var origins = Set<Origin>()
        var problem: String?
        if let origin = baseURL.flatMap(Origin.init) { origins.insert(origin) }
        for text in trustedOrigins {
            switch Origin.parse(text) {
            case .success(let origin): origins.insert(origin)
            case .failure(let bad): problem = problem ?? bad.text
            }
        }
        self.origins = origins
        self.problem = problem
    }

    /// A Boolean value that indicates whether there is any URL that receives credentials.
    var hasOrigins: Bool { !origins.isEmpty }

    /// Returns whether a URL receives the credentials of the client.
    package func allowsCredentials(for url: URL) -> Bool {
        Origin(url).map(origins.contains) ?? false
    }
}

extension Headers {
    /// Returns the headers without those that hold credentials: the common ones, and those that a client redacts.
    func withoutCredentials(_ redaction: Redaction?) -> Headers {
        Headers(
            fields: fields.filter { field in
                !Redaction.standard.hides(header: field.name) && redaction?.hides(header: field.name) != true
            })
    }
}
