#if os(Linux)
    import Foundation
    import TangoPromise
    import TangoRequest

    extension RequestProcess {
        /// Stores tokens until the process is killed, and prints the number of each.
        static func tokens(at path: String) async throws {
            let store = FileTokenStore(URL(filePath: path))
            var number = try store.load().flatMap { Int($0.identity) } ?? 0
            while true {
                number += 1
                let value = String(repeating: "x", count: number % 5000 + 1)
                try await store.save(StoredToken(token: Token(value), identity: "\(number)"))
                tell("stored", number)
            }
        }

        /// Has the lock of a store until the process is killed.
        static func tokenLock(at path: String) async throws {
            try await FileTokenStore(URL(filePath: path)).exclusively {
                tell("locked", 1)
                try await Task.sleep(for: .seconds(600))
            }
        }

        /// Stores a token in an encrypted file, and prints the error.
        static func encryptedToken(at path: String) async {
            do {
                try await EncryptedTokenStore(URL(filePath: path), key: Data(count: 32)).save(
                    StoredToken(token: Token("a"), identity: "1"))
            } catch {
                tell("error", error)
            }
        }

        /// Sends a request with a token that has to be renewed. Another process may share the store.
        ///
        /// - Parameter arguments: The URL of the server, and the path of the file.
        static func tokenCall(_ arguments: [String]) async throws {
            guard arguments.count == 2, let url = URL(string: arguments[0]) else { return tell("usage", "URL PATH") }
            let oauth = OAuth2(
                tokenURL: url.appending(path: "token"), client: OAuthClient(id: "app"), grant: .refreshToken)
            let session = TokenAuthenticator(oauth, store: .file(URL(filePath: arguments[1])))
            let client = Client(baseURL: url) { $0.authenticator = session }
            tell("received", try await client.get("/data", as: String.self).value)
            tell("token", session.token?.value ?? "none")
        }
    }
#endif
