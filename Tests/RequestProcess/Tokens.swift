import TangoTesting

#if os(Linux)
    import Foundation
    import Synchronization
    import TangoPromise
    import TangoRequest
    import TangoAuth
    import TangoCookies

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

        /// A source that renews the token of each user, and needs a user to begin with.
        private struct Renewals: TokenSource {
            func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
                guard let old else { throw RequestError.signInRequired }
                await Task.yield()
                return Token("\(old.value.prefix { $0 != "-" })-\(UUID().uuidString)")
            }
        }

        /// Renews the token of a file until the process is killed, and prints the user of each, or the code of the error.
        static func tokenPolling(at path: String) async throws {
            let session = TokenAuthenticator(Renewals(), store: .file(URL(filePath: path)))
            let transport = MockTransport()
            transport.stub(where: { _ in true }, .status(.unauthorized))
            let client = Client(baseURL: host) {
                $0.transport = transport
                $0.authenticator = session
                // A minute for each look, so that the limit for tokens in a row is not reached.
                let minutes = Mutex(0.0)
                $0.now = {
                    Date(
                        timeIntervalSince1970: minutes.withLock {
                            $0 += 60
                            return $0
                        })
                }
            }
            while true {
                do { _ = try await client.get("/", as: String.self).value } catch {
                    let code = (error as? RequestError)?.code
                    let user = session.token?.value.prefix { $0 != "-" }
                    tell("user", user.map(String.init) ?? code?.rawValue ?? "none")
                }
            }
        }

        /// Signs out, and ends without waiting for anything else.
        ///
        /// - Parameter path: The file of the cookies.
        static func signOutAndExit(_ path: String) async throws {
            let jar = try CookieJar(file: URL(filePath: path))
            let client = Client(baseURL: host) { $0.cookies = .jar(jar) }
            try await client.signOut()
            tell("signedOut", "yes")
            _exit(0)
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
