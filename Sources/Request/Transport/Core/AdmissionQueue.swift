/// The requests that may begin, and those that wait for their turn: first come, first served, as far as the limits allow.
///
/// A pure value, shared by the transports. Each host has a queue of its own, so that a long one does not slow down any other:
/// joining and leaving a queue take the same time however many wait, and a free seat is given away in a time that grows with
/// the logarithm of the number of hosts.
struct AdmissionQueue<Member> {
    /// A place in the queue of a host.
    struct Place {
        fileprivate let node: Int
        fileprivate let number: Int
    }

    private struct Node {
        let member: Member
        let host: String
        /// The order in which the members came.
        let number: Int
        var previous: Int?
        var next: Int?
    }

    private struct Line {
        var taken = 0
        var first: Int?
        var last: Int?
    }

    private let total: Int
    private let perHost: Int
    private var taken = 0
    private var lines: [String: Line] = [:]
    private var nodes: [Node?] = []
    private var unused: [Int] = []
    private var lastNumber = 0
    /// The first of each queue whose host has a free seat, and others that have left since.
    private var firsts = FirstComers()

    /// - Parameters:
    ///   - total: How many may be in flight; nil is any number. A limit below one is one.
    ///   - perHost: The same for each host.
    init(total: Int?, perHost: Int?) {
        self.total = max(total ?? .max, 1)
        self.perHost = max(perHost ?? .max, 1)
    }

    /// Whether every request may begin at once.
    var isUnlimited: Bool { total == .max && perHost == .max }

    /// Asks for a seat. Returns nil if the member has one now, and otherwise its place in the queue.
    mutating func admit(_ member: Member, for host: String) -> Place? {
        // If others wait for this host, there is no free seat: one that comes later overtakes nobody.
        if taken < total, lines[host]?.taken ?? 0 < perHost {
            take(host)
            return nil
        }
        lastNumber += 1
        let last = lines[host]?.last
        let node = add(Node(member: member, host: host, number: lastNumber, previous: last))
        if let last { nodes[last]?.next = node }
        lines[host, default: Line()].last = node
        if last == nil {
            lines[host]?.first = node
            noteFirst(of: host)
        }
        return Place(node: node, number: lastNumber)
    }

    /// Lets a member go that waits. Does nothing if it does not wait any more.
    mutating func withdraw(_ place: Place) {
        guard nodes.indices.contains(place.node), nodes[place.node]?.number == place.number else { return }
        _ = remove(place.node)
    }

    /// Frees a seat. Returns the member that has it now.
    mutating func free(_ host: String) -> Member? {
        taken -= 1
        lines[host]?.taken -= 1
        forgetIfEmpty(host)
        noteFirst(of: host)
        while taken < total, let first = firsts.popFirst() {
            guard let node = nodes[first.node], node.number == first.number, hasRoom(node.host) else { continue }
            take(node.host)
            return remove(first.node)
        }
        return nil
    }

    /// Forgets all that wait.
    mutating func removeAll() {
        for (host, line) in lines where line.first != nil {
            lines[host]?.first = nil
            lines[host]?.last = nil
            forgetIfEmpty(host)
        }
        nodes = []
        unused = []
        firsts = FirstComers()
    }

    private func hasRoom(_ host: String) -> Bool { lines[host]?.taken ?? 0 < perHost }

    private mutating func take(_ host: String) {
        taken += 1
        lines[host, default: Line()].taken += 1
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
            lines[node.host]?.first = node.next
        }
        if let next = node.next {
            nodes[next]?.previous = node.previous
        } else {
            lines[node.host]?.last = node.previous
        }
        forgetIfEmpty(node.host)
        if node.previous == nil { noteFirst(of: node.host) }
        return node.member
    }

    private mutating func forgetIfEmpty(_ host: String) {
        if let line = lines[host], line.taken <= 0, line.first == nil { lines[host] = nil }
    }

    /// Notes the first that waits for a host, if that has a free seat.
    private mutating func noteFirst(of host: String) {
        guard let place = lines[host]?.first, hasRoom(host), let node = nodes[place] else { return }
        firsts.insert(FirstComers.Element(number: node.number, node: place))
    }
}

/// The smallest number first: a binary heap.
private struct FirstComers {
    struct Element {
        let number: Int
        let node: Int
    }

    private var heap: [Element] = []

    mutating func insert(_ element: Element) {
        heap.append(element)
        var place = heap.count - 1
        while place > 0, heap[place].number < heap[(place - 1) / 2].number {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func popFirst() -> Element? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return last }
        heap[0] = last
        var place = 0
        while true {
            let children = [2 * place + 1, 2 * place + 2].filter { $0 < heap.count }
            guard let least = children.min(by: { heap[$0].number < heap[$1].number }),
                heap[least].number < heap[place].number
            else { return first }
            heap.swapAt(place, least)
            place = least
        }
    }
}
