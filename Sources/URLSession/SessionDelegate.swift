#if canImport(Darwin) || URLSessionOnLinux
    import Synchronization

    /// Passes the events of a session to its transfers. Redirects and authentication challenges of servers are
    /// delivered as responses.
    final class SessionDelegate: NSObject, URLSessionDataDelegate {
        private struct State {
            var transfers: [Int: SessionTransfer] = [:]
        }

        private let state = Mutex(State())
        /// Closed when the session has ended.
        let closing = ClosingSignal()

        func attach(_ transfer: SessionTransfer, to task: URLSessionTask) {
            state.withLock { $0.transfers[task.taskIdentifier] = transfer }
        }

        func transfer(of task: URLSessionTask) -> SessionTransfer? {
            state.withLock { $0.transfers[task.taskIdentifier] }
        }

        // MARK: The session

        func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
            closing.close()
        }

        // MARK: Its tasks

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
        ) {
            completionHandler(transfer(of: task)?.streamAgain())
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            transfer(of: task)?.sent(Int(bytesSent))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
        ) {
            if let head = response.head { transfer(of: dataTask)?.received(head) }
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            transfer(of: dataTask)?.received(data)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            SessionPlatform.handle(challenge, of: transfer(of: task), completionHandler)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let transfer = state.withLock { $0.transfers.removeValue(forKey: task.taskIdentifier) }
            // For a redirect without a usable target, no other method reports the response.
            transfer?.completed(error, head: task.response?.head)
        }
    }

    extension URLResponse {
        package var head: SessionHead? {
            guard let response = self as? HTTPURLResponse else { return nil }
            var fields: [String: String] = [:]
            for (name, value) in response.allHeaderFields {
                if let name = name as? String, let value = value as? String { fields[name] = value }
            }
            return SessionHead(status: response.statusCode, fields: fields)
        }
    }
#endif
