import Synchronization

/// The transfers of one background session, in this process and the ones before it.
///
/// A record is stored before each effect: see ``TransferRecord/Step``. So a later process continues at any point. The
/// events of the system come one at a time, and may come twice.
final class TransferSession: Sendable {
    struct State {
        var records: [String: TransferRecord] = [:]
        /// The tasks in flight, by their records.
        var tasks: [String: Int] = [:]
        var calls: [String: TransferCall] = [:]
        /// The calls that wait until a thread has finished a record of an earlier process.
        var late: [String: TransferCall] = [:]
        /// The heads of responses, with all fields.
        var heads: [String: HTTPResponse] = [:]
        var bodies: [String: Data] = [:]
        /// The errors of files that could not be moved.
        var failures: [String: any Error] = [:]
        /// The data by which a failed download of this process continues, by its place. It has the headers of its
        /// request, so it is not stored.
        var resumeData: [String: (resource: String, owner: String?, data: Data)] = [:]
        /// The records that a thread is finishing.
        var busy: Set<String> = []
        /// Those of them whose user has signed out.
        var left: Set<String> = []
        var delivery = EventDelivery()
        var preparation: Task<Void, Never>?
    }

    let identifier: String
    let folder: TransferFolder
    let system: any TransferSystem
    let now: @Sendable () -> Double
    let state = Mutex(State())

    init(
        _ identifier: String, in folder: TransferFolder, _ system: any TransferSystem,
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) {
        self.identifier = identifier
        self.folder = folder
        self.system = system
        self.now = now
        try? folder.create()
        let records = removeWhatIsLeft(in: folder.records)
        let entries = records.map(folder.entry)
        for name in Reconciliation.surplus(of: folder.names, entries: entries, now: now()) { folder.remove(name) }
        state.withLock { state in
            for record in records { state.records[record.id] = record }
        }
        system.connect(self)
        let preparation = Task(executorPreference: IO.executor) { [self] in await reconcile() }
        state.withLock { $0.preparation = preparation }
    }

    /// Returns once the records agree with the system.
    func ready() async {
        await state.withLock(\.preparation)?.value
    }

    private func reconcile() async {
        let tasks = await system.transfers()
        let records = state.withLock { Array($0.records.values) }.sorted { $0.id < $1.id }
        let steps = Reconciliation(entries: records.map(folder.entry), tasks: tasks, now: now()).steps
        for step in steps {
            switch step {
            case .adopt(let task, let id, let resumes):
                state.withLock { $0.tasks[id] = task }
                if resumes { system.resume(task) }
            case .cancel(let task): system.cancel(task)
            case .finish(let id): finish(id)
            case .noteFinished(let id): noteFinished(id)
            case .forget(let id): forget(id)
            }
        }
    }

    // MARK: Calls

    /// Starts the transfer of a call, or joins that of an earlier process.
    func start(_ call: TransferCall) async {
        await ready()
        // Before the call has a record: a call that is cancelled leaves its place before it is settled.
        call.attach { [weak self, unowned call] in self?.cancel(call) }
        enter(call)
        do {
            try begin(call)
        } catch {
            call.fail(error)
        }
    }

    private func begin(_ call: TransferCall) throws {
        let (place, resource) = try call.names()
        var choice: (TransferStart, TransferRecord)?
        var old: TransferRecord?
        while choice == nil {
            let found = state.withLock { state in
                state.records.values.first { $0.place.hasSameBytes(as: place) }
            }
            let entry = found.map(folder.entry)
            choice = try state.withLock { state in
                if !call.isWaiting { throw CancellationError() }
                return state.choose(for: call, place, resource, entry, now: now())
            }
            old = found
        }
        guard let (decision, record) = choice else { return }
        switch decision {
        case .refuse: throw inUse(call)
        case .finish: finish(record.id)
        case .take: take(record, for: call)
        case .attach, .wait: break
        case .begin, .replace:
            if decision == .replace, let old { drop { _ in old.id } }
            try begin(record, call)
        }
    }

    private func begin(_ record: TransferRecord, _ call: TransferCall) throws {
        do {
            try folder.create()
            try folder.save(record)
        } catch {
            forget(record.id)
            throw error
        }
        // If the call was cancelled meanwhile, nothing may be left of it.
        guard call.isWaiting, state.withLock({ $0.records[record.id] != nil }) else { return forget(record.id) }
        var file: URL?
        if case .upload(let url) = call.kind { file = url }
        let resumeData = state.withLock { state in
            let left = state.resumeData.removeValue(forKey: record.place)
            return left.flatMap { $0.resource.hasSameBytes(as: record.resource) ? $0.data : nil }
        }
        let task = system.start(
            TransferOrder(
                id: record.id, request: call.request, file: file, resumeData: resumeData,
                networks: call.plan.networks))
        let isKnown = state.withLock { state in
            // Its events may have come meanwhile.
            if state.records[record.id]?.step == .started { state.tasks[record.id] = task }
            return state.records[record.id] != nil
        }
        folder.onChange?()
        // The call was cancelled meanwhile, or its task has ended.
        if !isKnown { system.cancel(task) }
    }

    private func inUse(_ call: TransferCall) -> RequestError {
        if let download = call.plan.feature as? DownloadPlan { return DownloadPlan.inUse(download.destination) }
        return RequestError.duplicate(call.plan.name, isOlder: false)
    }

    /// Cancels the transfer of a call, unless a thread is finishing it.
    private func cancel(_ call: TransferCall) {
        drop { state in
            state.late = state.late.filter { $0.value !== call }
            return state.calls.first { $0.value === call && !state.busy.contains($0.key) }?.key
        }
    }

    /// Cancels the transfer of the record that the closure returns, and removes all that is known of it. Returns false if
    /// there is none.
    @discardableResult
    func drop(_ find: (inout State) -> String?) -> Bool {
        // The call is released outside the lock.
        let dropped = state.withLock { state in
            find(&state).map { (id: $0, task: state.tasks[$0], call: state.remove($0)) }
        }
        guard let dropped else { return false }
        folder.forget(dropped.id)
        if let task = dropped.task { system.cancel(task) }
        return true
    }

    func forget(_ id: String) {
        // The call is released outside the lock.
        let call = state.withLock { $0.remove(id) }
        folder.forget(id)
        withExtendedLifetime(call) {}
    }
}

extension TransferSession.State {
    /// Returns the beginning of a call, and its record; nil if the record of its place has changed meanwhile.
    fileprivate mutating func choose(
        for call: TransferCall, _ place: String, _ resource: String, _ entry: Reconciliation.Entry?, now: Double
    ) -> (TransferStart, TransferRecord)? {
        let found = records.values.first { $0.place.hasSameBytes(as: place) }
        guard found == entry?.record else { return nil }
        let known = entry.map { TransferState($0, hasTask: tasks[$0.record.id] != nil, now: now) }
        let callers = found.map(callers) ?? []
        let decision = TransferStart.of(
            known, isSame: found?.resource.hasSameBytes(as: resource) ?? false,
            isAttended: callers.contains(where: \.isWaiting), isLeft: !callers.isEmpty,
            isBusy: found.map { busy.contains($0.id) } ?? false)
        switch decision {
        case .begin, .replace: break
        case .wait: if let found { late[found.id] = call }
        case .attach, .finish, .take: if let found { calls[found.id] = call }
        case .refuse: break
        }
        guard decision == .begin || decision == .replace else { return found.map { (decision, $0) } }
        // The new record takes the place at once. The old one stays until its task is cancelled.
        let new = TransferRecord(
            id: UUID().uuidString, place: place, resource: resource, owner: call.owner, created: now, goal: call.goal)
        if let found { records[found.id] = nil }
        records[new.id] = new
        calls[new.id] = call
        return (decision, new)
    }

    /// The calls of this process that have started the transfer of a record, or have joined it.
    func callers(of record: TransferRecord) -> [TransferCall] {
        [calls[record.id], late[record.id]].compactMap { $0 }
    }

    /// Removes a record and all that belongs to it. Returns its call.
    @discardableResult
    mutating func remove(_ id: String) -> TransferCall? {
        records[id] = nil
        tasks[id] = nil
        heads[id] = nil
        bodies[id] = nil
        failures[id] = nil
        return calls.removeValue(forKey: id)
    }
}
