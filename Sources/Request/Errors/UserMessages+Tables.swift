extension RequestError.Code {
    // Keys of the tables for statuses that a user is told something else about.

    /// In tables of user messages only: a status of 401 or 403.
    public static let signInNeeded = Self(rawValue: "signInNeeded")
    /// In tables of user messages only: a redirect, which is a status from 300 to 399 except 304 to 306.
    public static let moved = Self(rawValue: "moved")
    /// In tables of user messages only: a status of 404 or 410.
    public static let missing = Self(rawValue: "missing")
    /// In tables of user messages only: a status of 429.
    public static let tooManyRequests = Self(rawValue: "tooManyRequests")
    /// In tables of user messages only: any other status from 400 to 499.
    public static let refusedRequest = Self(rawValue: "refusedRequest")
    /// In tables of user messages only: a call that ``Uniqueness/replace`` has ended for a newer one.
    public static let replaced = Self(rawValue: "replaced")
}

extension UserMessages {
    static let english: [RequestError.Code: String] = [
        .hostNotFound: "The server could not be found. Check your internet connection.",
        .cannotConnect: "The server cannot be reached. Check your internet connection.",
        .proxyFailed: "The connection through the proxy failed. Check your network settings.",
        .tlsFailed: "A secure connection to the server could not be made.",
        .untrusted: "The identity of the server could not be confirmed, so nothing was sent.",
        .connectTimedOut: "The server took too long to answer. Try again later.",
        .idleTimedOut: "The server took too long to answer. Try again later.",
        .totalTimedOut: "This took too long. Try again later.",
        .connectionLost: "The connection was lost. Try again.",
        .notProcessed: "The connection was lost. Try again.",
        .truncated: "The connection was lost. Try again.",
        .badResponse: "The server sent something that could not be understood.",
        .badEncoding: "The server sent something that could not be understood.",
        .badContentType: "The server sent something that could not be understood.",
        .notDecodable: "The server sent something that could not be understood.",
        .refusedResponse: "The server sent something that could not be understood.",
        .emptyResponse: "The server sent an empty answer.",
        .responseTooLarge: "The server sent more than can be handled.",
        .decompressionLimit: "The server sent more than can be handled.",
        .badStatus: "The server has a problem. Try again later.",
        .signInNeeded: "You do not have access to this. Sign in and try again.",
        .moved: "What you are looking for has moved to another address.",
        .missing: "What you are looking for does not exist.",
        .tooManyRequests: "That was too many requests at once. Wait a moment and try again.",
        .refusedRequest: "The server refused the request.",
        .business: "The server refused the request.",
        .notCached: "This is not available without a connection.",
        .duplicate: "This is being done already.",
        .replaced: "A newer request has taken the place of this one.",
        .outOfResources: "There is not enough memory left. Close something and try again.",
        anyOther: "Something went wrong. Try again later.",
    ]

    static let simplifiedChinese: [RequestError.Code: String] = [
        .hostNotFound: "找不到服务器，请检查网络连接。",
        .cannotConnect: "无法连接服务器，请检查网络连接。",
        .proxyFailed: "通过代理连接失败，请检查网络设置。",
        .tlsFailed: "无法与服务器建立安全连接。",
        .untrusted: "无法确认服务器的身份，未发送任何内容。",
        .connectTimedOut: "服务器响应超时，请稍后再试。",
        .idleTimedOut: "服务器响应超时，请稍后再试。",
        .totalTimedOut: "请求超时，请稍后再试。",
        .connectionLost: "网络连接已中断，请重试。",
        .notProcessed: "网络连接已中断，请重试。",
        .truncated: "网络连接已中断，请重试。",
        .badResponse: "无法识别服务器返回的内容。",
        .badEncoding: "无法识别服务器返回的内容。",
        .badContentType: "无法识别服务器返回的内容。",
        .notDecodable: "无法识别服务器返回的内容。",
        .refusedResponse: "无法识别服务器返回的内容。",
        .emptyResponse: "服务器返回的内容为空。",
        .responseTooLarge: "服务器返回的内容过大，无法处理。",
        .decompressionLimit: "服务器返回的内容过大，无法处理。",
        .badStatus: "服务器出现问题，请稍后再试。",
        .signInNeeded: "您没有访问权限，请登录后重试。",
        .moved: "您查找的内容已移至其他地址。",
        .missing: "您查找的内容不存在。",
        .tooManyRequests: "操作过于频繁，请稍候再试。",
        .refusedRequest: "服务器拒绝了该请求。",
        .business: "服务器拒绝了该请求。",
        .notCached: "此内容需要网络连接才能查看。",
        .duplicate: "该操作正在进行中。",
        .replaced: "该请求已被新的请求取代。",
        .outOfResources: "内存不足，请关闭一些内容后重试。",
        anyOther: "出现问题，请稍后再试。",
    ]
}
