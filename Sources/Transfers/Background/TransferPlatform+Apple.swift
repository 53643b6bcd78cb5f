#if canImport(Darwin)
    import Foundation
    import Synchronization

    /// The background sessions of `URLSession`.
    enum TransferPlatform {
        static func system(_ identifier: String) -> (any TransferSystem)? { SystemTransfers(identifier) }

        /// Returns whether the system can take over transfers from a transport. Others make them themselves, such as
        /// those for tests.
        static func replaces(_ transport: any Transport) -> Bool { transport is URLSessionTransport }

        /// The folder of a session. It is not a cache, which the system may empty.
        static func folder(of identifier: String) -> String {
            let name = SHA256.hex("tango background\u{0}\(identifier)".utf8).prefix(32)
            return URL.applicationSupportDirectory.appendingPathComponent("tango-background/\(name)").path
        }
    }

    /// A background `URLSession`. Its delegate passes all events on, one at a time.
    final class SystemTransfers: TransferSystem {
        private let identifier: String
        private let state = Mutex(State())

        private struct State {
            var session: URLSession?
            var tasks: [Int: URLSessionTask] = [:]
        }

        init(_ identifier: String) {
            self.identifier = identifier
        }

        func connect(_ session: TransferSession) {
            let settings = URLSessionConfiguration.background(withIdentifier: identifier)
            settings.sessionSendsLaunchEvents = true
            settings.httpCookieStorage = nil
            settings.httpCookieAcceptPolicy = .never
            settings.httpShouldSetCookies = false
            settings.urlCache = nil
            settings.urlCredentialStorage = nil
            settings.requestCachePolicy = .reloadIgnoringLocalCacheData
            settings.tlsMinimumSupportedProtocolVersion = .TLSv12
            let delegate = SystemTransferDelegate(session) { [weak self] task in self?.forget(task) }
            let system = URLSession(configuration: settings, delegate: delegate, delegateQueue: nil)
            state.withLock { $0.session = system }
        }

        func transfers() async -> [SystemTransfer] {
            guard let session = state.withLock(\.session) else { return [] }
            let tasks = await session.allTasks
            state.withLock { state in
                for task in tasks where task.state != .completed { state.tasks[task.taskIdentifier] = task }
            }
            return tasks.map { task in
                SystemTransfer(
                    task: task.taskIdentifier, id: task.taskDescription ?? "", isSuspended: task.state == .suspended,
                    isEnding: task.state == .canceling || task.state == .completed)
            }
        }

        func start(_ order: TransferOrder) -> Int {
            guard let session = state.withLock(\.session) else { return -1 }
            let task: URLSessionTask
            if let file = order.file {
                task = session.uploadTask(with: order.urlRequest, fromFile: file)
            } else if let data = order.resumeData {
                task = session.downloadTask(withResumeData: data)
            } else {
                task = session.downloadTask(with: order.urlRequest)
            }
            // The system keeps it, and a later process finds the record by it.
            task.taskDescription = order.id
            state.withLock { $0.tasks[task.taskIdentifier] = task }
            task.resume()
            return task.taskIdentifier
        }

        func resume(_ task: Int) {
            state.withLock { $0.tasks[task] }?.resume()
        }

        func cancel(_ task: Int) {
            state.withLock { $0.tasks.removeValue(forKey: task) }?.cancel()
        }

        private func forget(_ task: Int) {
            let old = state.withLock { $0.tasks.removeValue(forKey: task) }
            withExtendedLifetime(old) {}
        }
    }

    extension TransferOrder {
        fileprivate var urlRequest: URLRequest {
            var request = URLRequest(url: self.request.url)
            request.httpMethod = self.request.method.rawValue
            request.cachePolicy = .reloadIgnoringLocalCacheData
            request.httpShouldHandleCookies = false
            request.allow(networks)
            // The system sets the length of the file.
            let fields = SessionFields(
                self.request.headers, method: .get, contentType: file == nil ? nil : self.request.body.contentType,
                length: .none, decodes: file != nil, suppresses: false)
            for (name, value) in fields.fields { request.setValue(value, forHTTPHeaderField: name) }
            return request
        }
    }

    /// Passes the events of a background session to its transfers.
    final class SystemTransferDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
        private let transfers: TransferSession
        private let forget: @Sendable (Int) -> Void

        init(_ transfers: TransferSession, forget: @escaping @Sendable (Int) -> Void) {
            self.transfers = transfers
            self.forget = forget
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            guard let id = downloadTask.taskDescription, let head = downloadTask.response?.head else { return }
            let path = downloadTask.response?.url?.lastPathComponent ?? ""
            transfers.arrived(id, head.response, path: path, at: location)
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) {
            guard let id = downloadTask.taskDescription else { return }
            let total = totalBytesExpectedToWrite < 0 ? nil : Int(totalBytesExpectedToWrite)
            transfers.received(id, Int(totalBytesWritten), of: total)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            if let id = dataTask.taskDescription { transfers.receivedBody(id, data) }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            guard let id = task.taskDescription else { return }
            let total = totalBytesExpectedToSend < 0 ? nil : Int(totalBytesExpectedToSend)
            transfers.sent(id, Int(totalBytesSent), of: total)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            forget(task.taskIdentifier)
            guard let id = task.taskDescription else { return }
            let head = task.response?.head
            transfers.completed(
                id, head?.response, error.map { TransferFailure($0 as NSError, hasHead: head != nil) })
        }

        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
            transfers.deliveredAll()
        }
    }

    extension SessionHead {
        fileprivate var response: HTTPResponse { HTTPResponse(status: HTTPStatus(status), headers: headers) }
    }

    extension TransferFailure {
        fileprivate init(_ error: NSError, hasHead: Bool) {
            let cause = SessionCause(number: error.code, message: error.localizedDescription, hasHead: hasHead)
            // The system cancels transfers when its user ends the application. Those of calls were forgotten before.
            let isCancelled = error.code == URLError.Code.cancelled.rawValue
            self.init(
                code: isCancelled ? .connectionLost : cause.code,
                message: "\(error.domain) \(error.code): \(error.localizedDescription)",
                underlying: error, resumeData: error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
        }
    }
#endif
