extension HTTPStatus {
    // The codes in the IANA registry, as of RFC 9110 and later.

    public static let `continue` = HTTPStatus(100)
    public static let switchingProtocols = HTTPStatus(101)
    public static let processing = HTTPStatus(102)
    public static let earlyHints = HTTPStatus(103)
    public static let uploadResumptionSupported = HTTPStatus(104)

    public static let ok = HTTPStatus(200)
    public static let created = HTTPStatus(201)
    public static let accepted = HTTPStatus(202)
    public static let nonAuthoritativeInformation = HTTPStatus(203)
    public static let noContent = HTTPStatus(204)
    public static let resetContent = HTTPStatus(205)
    public static let partialContent = HTTPStatus(206)
    public static let multiStatus = HTTPStatus(207)
    public static let alreadyReported = HTTPStatus(208)
    public static let imUsed = HTTPStatus(226)

    public static let multipleChoices = HTTPStatus(300)
    public static let movedPermanently = HTTPStatus(301)
    public static let found = HTTPStatus(302)
    public static let seeOther = HTTPStatus(303)
    public static let notModified = HTTPStatus(304)
    public static let useProxy = HTTPStatus(305)
    public static let temporaryRedirect = HTTPStatus(307)
    public static let permanentRedirect = HTTPStatus(308)

    public static let badRequest = HTTPStatus(400)
    public static let unauthorized = HTTPStatus(401)
    public static let paymentRequired = HTTPStatus(402)
    public static let forbidden = HTTPStatus(403)
    public static let notFound = HTTPStatus(404)
    public static let methodNotAllowed = HTTPStatus(405)
    public static let notAcceptable = HTTPStatus(406)
    public static let proxyAuthenticationRequired = HTTPStatus(407)
    public static let requestTimeout = HTTPStatus(408)
    public static let conflict = HTTPStatus(409)
    public static let gone = HTTPStatus(410)
    public static let lengthRequired = HTTPStatus(411)
    public static let preconditionFailed = HTTPStatus(412)
    public static let contentTooLarge = HTTPStatus(413)
    public static let uriTooLong = HTTPStatus(414)
    public static let unsupportedMediaType = HTTPStatus(415)
    public static let rangeNotSatisfiable = HTTPStatus(416)
    public static let expectationFailed = HTTPStatus(417)
    public static let misdirectedRequest = HTTPStatus(421)
    public static let unprocessableContent = HTTPStatus(422)
    public static let locked = HTTPStatus(423)
    public static let failedDependency = HTTPStatus(424)
    public static let tooEarly = HTTPStatus(425)
    public static let upgradeRequired = HTTPStatus(426)
    public static let preconditionRequired = HTTPStatus(428)
    public static let tooManyRequests = HTTPStatus(429)
    public static let requestHeaderFieldsTooLarge = HTTPStatus(431)
    public static let unavailableForLegalReasons = HTTPStatus(451)

    public static let internalServerError = HTTPStatus(500)
    public static let notImplemented = HTTPStatus(501)
    public static let badGateway = HTTPStatus(502)
    public static let serviceUnavailable = HTTPStatus(503)
    public static let gatewayTimeout = HTTPStatus(504)
    public static let httpVersionNotSupported = HTTPStatus(505)
    public static let variantAlsoNegotiates = HTTPStatus(506)
    public static let insufficientStorage = HTTPStatus(507)
    public static let loopDetected = HTTPStatus(508)
    public static let notExtended = HTTPStatus(510)
    public static let networkAuthenticationRequired = HTTPStatus(511)
}

extension HTTPStatus {
    /// The name of the code in the IANA registry, such as "Not Found". Other codes have the name of their class, such
    /// as "Unknown client error".
    ///
    /// The text that the server sent with the code is ``HTTPResponse/reason``.
    public var name: String {
        registeredName ?? "Unknown \(`class`.name)"
    }

    /// The name in the registry; nil for a code that is not registered.
    package var registeredName: String? {
        switch code {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 102: "Processing"
        case 103: "Early Hints"
        case 104: "Upload Resumption Supported"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 203: "Non-Authoritative Information"
        case 204: "No Content"
        case 205: "Reset Content"
        case 206: "Partial Content"
        case 207: "Multi-Status"
        case 208: "Already Reported"
        case 226: "IM Used"
        case 300: "Multiple Choices"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 305: "Use Proxy"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 423: "Locked"
        case 424: "Failed Dependency"
        case 425: "Too Early"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 506: "Variant Also Negotiates"
        case 507: "Insufficient Storage"
        case 508: "Loop Detected"
        case 510: "Not Extended"
        case 511: "Network Authentication Required"
        default: nil
        }
    }
}

extension HTTPStatus.Class {
    fileprivate var name: String {
        switch self {
        case .informational: "informational response"
        case .success: "success"
        case .redirection: "redirection"
        case .clientError: "client error"
        case .serverError: "server error"
        case .unknown: "status"
        }
    }
}
