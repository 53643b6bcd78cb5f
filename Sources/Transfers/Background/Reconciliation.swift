/// The steps after a launch, which bring the records, the tasks of the system and the files in line: a pure function.
///
/// ```text
/// record          task of the system   file                      step
/// started         yes                  -                         adopt the task
/// started         no                   -                         keep it, because its events may follow; a call restarts it
/// arriving        -                    in the session's folder   finish
/// arrived         -                    in the session's folder   finish
/// placing         -                    in the session's folder   finish
/// placing         -                    at its destination        note that it is finished
/// any of these    no                   nowhere, and eight days   forget
/// finished        -                    in place                  keep it for a day
/// finished        -                    gone                      forget
/// none            yes                  -                         cancel the task
/// ```
///
/// A file in the session's folder that no record names is removed before the system delivers any event.
struct Reconciliation {
    enum Step: Hashable {
        case adopt(task: Int, id: String, resumes: Bool)
        case cancel(task: Int)
        case finish(id: String)
        case noteFinished(id: String)
        case forget(id: String)
    }

    /// A record, and the files that it names.
    struct Entry {
        let record: TransferRecord
        /// The file in the folder of the session.
        var held: FileFacts?
        /// The file at the destination.
        var placed: FileFacts?
    }

    let entries: [Entry]
    let tasks: [SystemTransfer]
    let now: Double

    var steps: [Step] {
        var steps: [Step] = []
        for entry in entries {
            let id = entry.record.id
            let own = tasks.filter { $0.id.hasSameBytes(as: id) && !$0.isEnding }.sorted { $0.task < $1.task }
            let state = TransferState(entry, hasTask: !own.isEmpty, now: now)
            switch state {
            case .running:
                if let first = own.first {
                    steps.append(.adopt(task: first.task, id: id, resumes: first.isSuspended))
                }
                steps += own.dropFirst().map { .cancel(task: $0.task) }
            case .complete: steps.append(.finish(id: id))
            case .placed: steps.append(.noteFinished(id: id))
            case .finished, .lost: break
            case .expired: steps.append(.forget(id: id))
            }
            if state != .running { steps += own.map { .cancel(task: $0.task) } }
        }
        let unknown = tasks.filter { task in
            !task.isEnding && !entries.contains { $0.record.id.hasSameBytes(as: task.id) }
        }
        return steps + unknown.map { .cancel(task: $0.task) }
    }

    /// Returns the files in the folder of the session that no record needs.
    static func surplus(of files: [String], entries: [Entry], now: Double) -> [String] {
        var kept: Set<String> = []
        for entry in entries {
            kept.insert(TransferFolder.recordName(entry.record.id))
            switch TransferState(entry, hasTask: false, now: now) {
            case .complete, .placed, .finished: kept.insert(TransferFolder.fileName(entry.record.id))
            case .running, .lost, .expired: break
            }
        }
        return files.filter { !kept.contains($0) }
    }
}

/// A task of the system.
struct SystemTransfer: Hashable, Sendable {
    let task: Int
    /// The record of the task.
    let id: String
    var isSuspended = false
    /// A Boolean value that indicates whether the task has ended, and its events may follow.
    var isEnding = false
}

/// The state of a transfer, as its record, its files and the system have it.
enum TransferState: Hashable {
    case running
    /// The complete file is in the folder of the session.
    case complete
    /// The file is at its destination, and the record does not say so yet.
    case placed
    case finished
    /// Nothing transfers it. Its last events may follow.
    case lost
    case expired

    init(_ entry: Reconciliation.Entry, hasTask: Bool, now: Double) {
        let record = entry.record
        switch record.step {
        case .arriving where entry.held != nil: self = .complete
        case .arrived(let content) where entry.held == content.facts: self = .complete
        case .placing(let content, _) where entry.placed == content.facts: self = .placed
        // The file at the destination may have been a copy, on another disk.
        case .placing where entry.held != nil: self = .complete
        case .finished(let content, let path, let date):
            let file = path == nil ? entry.held : entry.placed
            let isCurrent = abs(now - date) <= TransferRecord.longestResult && file == content.facts
            self = isCurrent ? .finished : .expired
        case .started, .arriving, .arrived, .placing:
            if hasTask {
                self = .running
            } else {
                self = abs(now - record.created) <= TransferRecord.longestTransfer ? .lost : .expired
            }
        }
    }
}
