import Synchronization

/// What was made of the rules of the last requests, so that those with the same ones share it and the connections that were
/// made under it: until a file changes from which it was read.
final class KnownTrusts<Made: AnyObject & Sendable>: Sendable {
    private struct Known {
        let rules: ServerTrust.Rules
        let stamps: [FileStamp]
        let made: Made

        var isCurrent: Bool { stamps.allSatisfy { FileStamp($0.path) == $0 } }
    }

    private let known = Mutex<[Known]>([])
    private let most: Int

    /// - Parameter most: How many are remembered. Of more, those go that nobody has asked for the longest.
    init(most: Int = 64) {
        self.most = most
    }

    /// What was made of the rules, or is made now.
    func find<Failure>(
        _ rules: ServerTrust.Rules, make: (ServerTrust.Rules) throws(Failure) -> Made
    ) throws(Failure) -> Made {
        let old = known.withLock { known -> Known? in
            guard let place = known.firstIndex(where: { $0.rules == rules }) else { return nil }
            // What is asked for stays longest.
            let found = known.remove(at: place)
            known.append(found)
            return found
        }
        if let old, old.isCurrent { return old.made }
        // Before they are read: what changes meanwhile is then read again.
        let stamps = rules.files.map { FileStamp($0) }
        let made = try make(rules)
        return known.withLock { known in
            // Somebody else was faster, and read the same.
            if let first = known.first(where: { $0.rules == rules }), first.stamps == stamps, first.made !== old?.made {
                return first.made
            }
            known.removeAll { $0.rules == rules }
            if known.count == most { known.removeFirst() }
            known.append(Known(rules: rules, stamps: stamps, made: made))
            return made
        }
    }
}

extension ServerTrust.Rules {
    /// The files that they are read from.
    fileprivate var files: [String] {
        var sources = authorities?.sources ?? []
        switch clientCertificate?.form {
        case .pair(let certificate, let key): sources += [certificate, key]
        case .pkcs12(let source): sources.append(source)
        case nil: break
        }
        return sources.compactMap { source in
            if case .file(let path) = source.place { path.text } else { nil }
        }
    }
}
