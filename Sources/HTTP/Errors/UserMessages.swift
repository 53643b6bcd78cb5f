import Synchronization

/// The sentences for users when a request fails: one for each code and for each ``Situation``, in each language.
///
/// The tables are code, not resources, so they do not depend on the location of the binary.
///
/// ```swift
/// var messages = UserMessages.standard
/// messages.set("Our servers are having a nap.", for: .badStatus)
/// messages.set("Please sign in.", for: .signInNeeded)
/// messages.set("Kein Netz.", for: .cannotConnect, in: "de")
/// UserMessages.current = messages
/// ```
public struct UserMessages: Sendable {
    /// A situation with its own sentence, which replaces that of the error code.
    public enum Situation: Hashable, Sendable, CaseIterable {
        /// The status is 401 or 403.
        case signInNeeded
        /// The status is a redirect: 300 to 399, except 304 to 306.
        case moved
        /// The status is 404 or 410.
        case missing
        /// The status is 429.
        case tooManyRequests
        /// The status is any other from 400 to 499.
        case refusedRequest
        /// The call was replaced by a newer one: ``Uniqueness/replace``.
        case replaced
        /// The code has no sentence.
        case other
    }

    /// The sentences of a language.
    struct Table {
        var codes: [RequestError.Code: String] = [:]
        var situations: [Situation: String] = [:]

        init(codes: KeyValuePairs<[RequestError.Code], String> = [:], situations: [Situation: String] = [:]) {
            for (alike, text) in codes {
                for code in alike { self.codes[code] = text }
            }
            self.situations = situations
        }
    }

    private var tables: [UserLanguage: Table]

    /// English and Simplified Chinese.
    public static let standard = UserMessages(tables: [.english: english, .simplifiedChinese: simplifiedChinese])

    private static let shared = Mutex(standard)

    /// The tables that ``RequestError/message`` uses. Any thread may change them, preferably when the application
    /// starts.
    public static var current: UserMessages {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }

    /// Replaces or adds the sentence for a code.
    public mutating func set(_ text: String, for code: RequestError.Code, in language: UserLanguage = .english) {
        tables[language, default: Table()].codes[code] = text
    }

    /// Replaces or adds the sentence for a situation.
    public mutating func set(_ text: String, for situation: Situation, in language: UserLanguage = .english) {
        tables[language, default: Table()].situations[situation] = text
    }

    /// Returns the sentence for a code in the first of the languages that has one, otherwise in English.
    public func text(for code: RequestError.Code, in languages: [UserLanguage] = UserLanguage.preferred) -> String {
        text(in: languages) { $0.codes[code] } ?? code.rawValue
    }

    /// Returns the sentence for a situation in the first of the languages that has one, otherwise in English.
    public func text(for situation: Situation, in languages: [UserLanguage] = UserLanguage.preferred) -> String {
        text(in: languages) { $0.situations[situation] } ?? "\(situation)"
    }

    private func text(in languages: [UserLanguage], _ find: (Table) -> String?) -> String? {
        for language in languages + [.english] {
            for table in language.fallbacks.compactMap({ tables[$0] }) {
                if let text = find(table) ?? table.situations[.other] { return text }
            }
        }
        return nil
    }
}

extension RequestError {
    /// A sentence for the user, in a preferred language. It is the message of the server or the application, or else
    /// that of ``UserMessages/current``.
    public var message: String {
        message(in: UserLanguage.preferred)
    }

    /// Returns a sentence for the user in the first of these languages that has one, otherwise in English.
    public func message(in languages: UserLanguage...) -> String {
        message(in: languages)
    }

    func message(in languages: [UserLanguage]) -> String {
        if let userMessage { return userMessage }
        let messages = UserMessages.current
        return situation.map { messages.text(for: $0, in: languages) } ?? messages.text(for: code, in: languages)
    }

    /// The situation, if there is one with its own sentence. For example, a missing page is not a failure of the
    /// server.
    private var situation: UserMessages.Situation? {
        if isReplaced { return .replaced }
        guard code == .badStatus, let status = response?.status else { return nil }
        switch status {
        case let status where status.isRedirect: return .moved
        case .unauthorized, .forbidden: return .signInNeeded
        case .notFound, .gone: return .missing
        case .tooManyRequests: return .tooManyRequests
        case 400..<500: return .refusedRequest
        default: return nil
        }
    }
}
