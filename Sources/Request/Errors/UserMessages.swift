import Synchronization

/// What to tell a user when a request fails: a sentence for each code, in each language.
///
/// The tables are code rather than resources, so that they are there wherever the binary goes.
///
/// ```swift
/// var messages = UserMessages.standard
/// messages.set("Our servers are having a nap.", for: .badStatus)
/// messages.set("Kein Netz.", for: .cannotConnect, in: "de")
/// UserMessages.current = messages
/// ```
public struct UserMessages: Sendable {
    private var tables: [UserLanguage: [RequestError.Code: String]]

    /// English and Simplified Chinese.
    public static let standard = UserMessages(tables: [.english: english, .simplifiedChinese: simplifiedChinese])

    private static let shared = Mutex(standard)

    /// The tables that ``RequestError/message`` reads. Any thread may change them, best at the start of the
    /// application.
    public static var current: UserMessages {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }

    /// Replaces what is said for a code, or adds it.
    public mutating func set(_ text: String, for code: RequestError.Code, in language: UserLanguage = .english) {
        tables[language, default: [:]][code] = text
    }

    /// What is said for a code, in the first of the languages that has a table for it; else in English.
    public func text(for code: RequestError.Code, in languages: [UserLanguage] = UserLanguage.preferred) -> String {
        for language in languages {
            for tag in language.fallbacks {
                if let text = tables[tag]?[code] ?? tables[tag]?[Self.anyOther] { return text }
            }
        }
        let english = tables[.english] ?? [:]
        return english[code] ?? english[Self.anyOther] ?? code.rawValue
    }

    /// Stands for the codes that have no sentence of their own.
    public static let anyOther = RequestError.Code(rawValue: "anyOther")
}

extension RequestError {
    /// A sentence for the user, in a language that they read: what the server or the application says about this error,
    /// or else what the tables of ``UserMessages/current`` say for its code.
    public var message: String {
        message(in: UserLanguage.preferred)
    }

    /// A sentence for the user in the first of these languages that there is one in.
    public func message(in languages: UserLanguage...) -> String {
        message(in: languages)
    }

    func message(in languages: [UserLanguage]) -> String {
        userMessage ?? UserMessages.current.text(for: messageCode, in: languages)
    }

    /// A status is told apart as a code would be: that a thing does not exist is no failure of the server.
    private var messageCode: Code {
        if let messageKey { return messageKey }
        guard code == .badStatus, let status = response?.status else { return code }
        switch status {
        case let status where status.isRedirect: return .moved
        case .unauthorized, .forbidden: return .signInNeeded
        case .notFound, .gone: return .missing
        case .tooManyRequests: return .tooManyRequests
        case 400..<500: return .refusedRequest
        default: return code
        }
    }
}
