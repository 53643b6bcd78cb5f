#if canImport(Darwin) || URLSessionOnLinux
    import Synchronization

    /// A session and its delegate. A closed session starts no task, because that would end the process.
    final class SessionLane: Sendable {
        private let delegate = SessionDelegate()
        private let session: Mutex<URLSession?>

        init(_ configuration: URLSessionTransport.Configuration, _ rules: ServerTrust.Rules) {
            session = Mutex(SessionPlatform.makeSession(configuration, rules, delegate: delegate))
        }

        /// Begins a transfer. Returns false if the session is closed.
        func carry(_ transfer: SessionTransfer) -> Bool {
            session.withLock { session in
                guard let session else { return false }
                let task = session.dataTask(with: transfer.urlRequest)
                delegate.attach(transfer, to: task)
                transfer.begin(task)
                task.resume()
                transfer.didBegin()
                return true
            }
        }

        /// Closes the connections after the transfers in flight have finished.
        func close() {
            take()?.finishTasksAndInvalidate()
        }

        func cancelAll() {
            take()?.invalidateAndCancel()
        }

        /// Returns once the session has ended.
        func closed() async {
            await delegate.closing.wait()
        }

        private func take() -> URLSession? {
            session.withLock { session in
                defer { session = nil }
                return session
            }
        }
    }

    extension URLSessionConfiguration {
        /// Settings that store no cookies, responses and credentials.
        static var withoutStorage: URLSessionConfiguration {
            let settings = URLSessionConfiguration.ephemeral
            settings.httpCookieStorage = nil
            settings.httpCookieAcceptPolicy = .never
            settings.httpShouldSetCookies = false
            settings.urlCache = nil
            settings.urlCredentialStorage = nil
            return settings
        }
    }
#endif
