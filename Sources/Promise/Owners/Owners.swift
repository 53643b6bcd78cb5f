import Synchronization

/// Work that is done for an object, and ends with it.
package protocol OwnedWork: AnyObject, Sendable {
    /// A Boolean value that indicates whether the work has ended.
    var isOver: Bool { get }

    /// Ends the work, because its owner is gone.
    func endWithoutOwner()
}

/// Ends the work of objects that are gone.
///
/// Nothing reports the end of an object of any class. So the weak references to owners are read four times a second, as long as
/// there is work.
package final class Owners: Sendable {
    /// The owners that belong to the main actor. They are read on it, because the reader may happen to be the last one that
    /// retains an object.
    private static let onMain = Owners(areOnMain: true)
    private static let others = Owners(areOnMain: false)

    private struct Entry {
        weak var owner: (AnyObject & Sendable)?
        weak var work: (any OwnedWork)?
    }

    private struct State: ~Copyable {
        var entries: [Entry] = []
        var isWatching = false
    }

    private let areOnMain: Bool
    private let state = Mutex(State())
    private static let pause = Duration.milliseconds(250)

    private init(areOnMain: Bool) {
        self.areOnMain = areOnMain
    }

    /// Ends work when its owner is gone. Retains neither.
    package static func watch(_ owner: AnyObject & Sendable, for work: any OwnedWork, isOnMain: Bool) {
        if work.isOver { return }
        (isOnMain ? onMain : others).add(Entry(owner: owner, work: work))
    }

    private func add(_ entry: sending Entry) {
        let isFirst = state.withLock { state in
            state.entries.append(entry)
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if isFirst { Task.detached(priority: .utility) { await self.watch() } }
    }

    private func watch() async {
        repeat {
            // The task is never cancelled, so the sleep cannot throw.
            try? await Task.sleep(for: Self.pause)
            if areOnMain { await MainActor.run { endWork() } } else { endWork() }
        } while state.withLock { state in
            state.isWatching = !state.entries.isEmpty
            return state.isWatching
        }
    }

    private func endWork() {
        // What is read may have no other owner by now, so it is released outside the lock.
        var read: [AnyObject & Sendable] = []
        let orphans = state.withLock { state in
            var orphans: [any OwnedWork] = []
            state.entries.removeAll { entry in
                guard let work = entry.work else { return true }
                read.append(work)
                if work.isOver { return true }
                guard let owner = entry.owner else {
                    orphans.append(work)
                    return true
                }
                read.append(owner)
                return false
            }
            return orphans
        }
        for work in orphans { work.endWithoutOwner() }
        withExtendedLifetime(read) {}
    }
}
