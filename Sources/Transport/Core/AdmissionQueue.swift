/// The requests that may begin, and those that wait because of the limits: first come, first served.
///
/// A pure value, shared by the transports. Each host has a queue of its own, so a long queue does not slow down others.
/// Joining and leaving a queue take constant time. Freeing a slot takes time logarithmic in the number of hosts.
package struct AdmissionQueue<Member> {
    /// A position in the queue of a host.
    package struct Place {
        fileprivate let node: Int
        fileprivate let number: Int
    }

    private struct Node {
        let member: Member
        let host: String
        /// A number that grows with each member that has to wait.
        let number: Int
        var previous: Int?
        var next: Int?
    }

    private struct First {
        let number: Int
        let node: Int
    }

    private struct HostQueue {
        var taken = 0
        var first: Int?
        var last: Int?
    }

    private let total: Int
    private let perHost: Int
    private var taken = 0
    private var queues: [String: HostQueue] = [:]
    private var nodes: [Node?] = []
    private var unused: [Int] = []
    private var lastNumber = 0
    /// The first member of each queue whose host has a free slot, and others that have left since.
    private var firsts = Heap<First> { $0.number < $1.number }

    /// - Parameters:
    ///   - total: The highest number of requests in flight; nil is no limit. It is at least one.
    ///   - perHost: The same for each host.
    package init(total: Int?, perHost: Int?) {
        self.total = total ?? .max
        self.perHost = perHost ?? .max
    }

    /// A Boolean value that indicates whether every request may begin at once.
    package var isUnlimited: Bool { total == .max && perHost == .max }

    /// Takes a slot for a member. Returns nil on success, or else the member's place in the queue.
    package mutating func admit(_ member: Member, for host: String) -> Place? {
        // If members wait for this host, there is no free slot. So a later member never overtakes them.
        if taken < total, queues[host]?.taken ?? 0 < perHost {
            take(host)
            return nil
        }
        lastNumber += 1
        let last = queues[host]?.last
        let node = add(Node(member: member, host: host, number: lastNumber, previous: last))
        if let last { nodes[last]?.next = node }
        queues[host, default: HostQueue()].last = node
        if last == nil {
            queues[host]?.first = node
            addFirst(of: host)
        }
        return Place(node: node, number: lastNumber)
    }

    /// Removes a member that waits. Does nothing if it does not wait any more.
    package mutating func withdraw(_ place: Place) {
        guard nodes.indices.contains(place.node), nodes[place.node]?.number == place.number else { return }
        _ = remove(place.node)
    }

    /// Frees a slot. Returns the member that gets it, if any.
    package mutating func free(_ host: String) -> Member? {
        taken -= 1
        queues[host]?.taken -= 1
        removeIfEmpty(host)
        addFirst(of: host)
        while taken < total, let first = firsts.first {
            firsts.removeFirst()
            guard let node = nodes[first.node], node.number == first.number, hasRoom(node.host) else { continue }
            take(node.host)
            return remove(first.node)
        }
        return nil
    }

    /// Removes all members that wait.
    package mutating func removeAll() {
        for (host, queue) in queues where queue.first != nil {
            queues[host]?.first = nil
            queues[host]?.last = nil
            removeIfEmpty(host)
        }
        nodes = []
        unused = []
        firsts.removeAll()
    }

    private func hasRoom(_ host: String) -> Bool { queues[host]?.taken ?? 0 < perHost }

    private mutating func take(_ host: String) {
        taken += 1
        queues[host, default: HostQueue()].taken += 1
    }

    private mutating func add(_ node: Node) -> Int {
        guard let place = unused.popLast() else {
            nodes.append(node)
            return nodes.count - 1
        }
        nodes[place] = node
        return place
    }

    private mutating func remove(_ place: Int) -> Member? {
        guard let node = nodes[place] else { return nil }
        nodes[place] = nil
        unused.append(place)
        if let previous = node.previous {
            nodes[previous]?.next = node.next
        } else {
            queues[node.host]?.first = node.next
        }
        if let next = node.next {
            nodes[next]?.previous = node.previous
        } else {
            queues[node.host]?.last = node.previous
        }
        removeIfEmpty(node.host)
        if node.previous == nil { addFirst(of: node.host) }
        return node.member
    }

    private mutating func removeIfEmpty(_ host: String) {
        if let queue = queues[host], queue.taken <= 0, queue.first == nil { queues[host] = nil }
    }

    /// Adds the first member that waits for a host to `firsts`, if the host has a free slot.
    private mutating func addFirst(of host: String) {
        guard let place = queues[host]?.first, hasRoom(host), let node = nodes[place] else { return }
        firsts.insert(First(number: node.number, node: place))
    }
}
