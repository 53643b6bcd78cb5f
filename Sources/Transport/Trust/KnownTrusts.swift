import Synchronization

/// The objects made from the rules of recent requests. Requests with equal rules share an object and its connections,
/// until a file from which it was read changes.
package final class KnownTrusts<Made: AnyObject & Sendable>: Sendable {
    private struct Known {
        let rules: ServerTrust.Rules
        let stamps: [FileStamp]
        let made: Made

        var isCurrent: Bool { stamps.allSatisfy { FileStamp($0.path) == $0 } }
    }

    private let known = Mutex<[Known]>([])
    private let most: Int

    /// - Parameter most: The highest number of objects. Beyond it, the least recently used is removed.
    package init(most: Int = 64) {
        self.most = most
    }

    /// Returns the object for the rules, and makes it if necessary.
    package func find<Failure>(
        _ rules: ServerTrust.Rules, make: (ServerTrust.Rules) throws(Failure) -> Made
    ) throws(Failure) -> Made {
        let old = known.withLock { known -> Known? in
            guard let place = known.firstIndex(where: { $0.rules == rules }) else { return nil }
            // The most recently used is last.
            let found = known.remove(at: place)
            known.append(found)
            return found
        }
        if let old, old.isCurrent { return old.made }
        // Taken before the files are read, so a later change causes another read.
        let stamps = rules.files.map { FileStamp($0) }
        let made = try make(rules)
        return known.withLock { known in
            // Another thread has made an object from the same files meanwhile.
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
    /// The files from which the rules are read.
    fileprivate var files: [String] {
        var sources = authorities
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
