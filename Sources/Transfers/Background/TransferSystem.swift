/// The background transfers of the system: a background `URLSession`.
protocol TransferSystem: Sendable {
    /// Delivers the events of all tasks to a session from now on, one at a time.
    func connect(_ session: TransferSession)
    /// Returns the tasks that have not ended.
    func transfers() async -> [SystemTransfer]
    /// Starts a task, and returns its number.
    func start(_ order: TransferOrder) -> Int
    func resume(_ task: Int)
    func cancel(_ task: Int)
}

/// A task that the system is told to begin.
struct TransferOrder: Sendable {
    /// The record of the task, which the system keeps.
    let id: String
    let request: HTTPRequest
    /// The file that is sent; nil for a download.
    let file: URL?
    /// The data by which the system continues a download that has failed.
    let resumeData: Data?
    /// The kinds of networks that the task may use.
    let networks: NetworkKinds
}

/// The failure of a task.
struct TransferFailure: Sendable {
    let code: RequestError.Code
    let message: String
    var underlying: (any Error)?
    var resumeData: Data?
}
