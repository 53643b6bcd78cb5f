/// Who may begin, and who waits for a turn: first come, first served, as far as each limit allows.
struct SessionTurns {
    typealias Member = ObjectIdentifier

    private let total: Int
    private let perHost: Int
    private var waiting: [(member: Member, host: String)] = []
    private var taken = 0
    private var takenByHost: [String: Int] = [:]

    /// Nil is as many as there are; a limit below one is one.
    init(total: Int?, perHost: Int?) {
        self.total = max(total ?? .max, 1)
        self.perHost = max(perHost ?? .max, 1)
    }

    /// Asks for a seat at a host. Returns whether it is there at once; otherwise the member waits.
    mutating func ask(_ member: Member, for host: String) -> Bool {
        // Whoever waits already wants a seat that there is none of: it is not overtaken by this one.
        guard isFree(host) else {
            waiting.append((member, host))
            return false
        }
        take(host)
        return true
    }

    /// Lets a member go that waits. Returns whether it did.
    @discardableResult
    mutating func withdraw(_ member: Member) -> Bool {
        guard let place = waiting.firstIndex(where: { $0.member == member }) else { return false }
        waiting.remove(at: place)
        return true
    }

    /// Frees a seat. Returns who begins now.
    mutating func free(_ host: String) -> [Member] {
        taken -= 1
        takenByHost[host, default: 1] -= 1
        if takenByHost[host] == 0 { takenByHost[host] = nil }
        var next: [Member] = []
        var place = 0
        while place < waiting.count, taken < total {
            guard isFree(waiting[place].host) else {
                place += 1
                continue
            }
            let (member, host) = waiting.remove(at: place)
            take(host)
            next.append(member)
        }
        return next
    }

    private func isFree(_ host: String) -> Bool {
        taken < total && takenByHost[host, default: 0] < perHost
    }

    private mutating func take(_ host: String) {
        taken += 1
        takenByHost[host, default: 0] += 1
    }
}
