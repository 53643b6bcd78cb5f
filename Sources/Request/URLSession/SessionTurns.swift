/// Who may begin, and who waits for a turn: first come, first served, as far as each limit allows.
struct SessionTurns {
    typealias Member = ObjectIdentifier

    /// What a member takes up while it is under way.
    struct Seat: Hashable {
        let host: String
        let isStream: Bool
    }

    private let total: Int
    private let perHost: Int
    private let streams: Int
    private var waiting: [(member: Member, seat: Seat)] = []
    private var taken = 0
    private var takenByHost: [String: Int] = [:]
    private var takenByStreams = 0

    /// Nil is as many as there are; a limit below one is one.
    init(total: Int?, perHost: Int?, streams: Int?) {
        self.total = max(total ?? .max, 1)
        self.perHost = max(perHost ?? .max, 1)
        self.streams = max(streams ?? .max, 1)
    }

    /// Asks for a seat. Returns whether it is there at once; otherwise the member waits.
    mutating func ask(_ member: Member, for seat: Seat) -> Bool {
        // Whoever waits already wants a seat that there is none of: it is not overtaken by this one.
        guard isFree(seat) else {
            waiting.append((member, seat))
            return false
        }
        take(seat)
        return true
    }

    /// Lets a member go that waits. Returns whether it did.
    mutating func withdraw(_ member: Member) -> Bool {
        guard let place = waiting.firstIndex(where: { $0.member == member }) else { return false }
        waiting.remove(at: place)
        return true
    }

    /// Frees a seat. Returns who begins now.
    mutating func free(_ seat: Seat) -> [Member] {
        taken -= 1
        takenByHost[seat.host, default: 1] -= 1
        if takenByHost[seat.host] == 0 { takenByHost[seat.host] = nil }
        if seat.isStream { takenByStreams -= 1 }
        var next: [Member] = []
        var place = 0
        while place < waiting.count, taken < total {
            guard isFree(waiting[place].seat) else {
                place += 1
                continue
            }
            let (member, seat) = waiting.remove(at: place)
            take(seat)
            next.append(member)
        }
        return next
    }

    private func isFree(_ seat: Seat) -> Bool {
        taken < total && takenByHost[seat.host, default: 0] < perHost && (!seat.isStream || takenByStreams < streams)
    }

    private mutating func take(_ seat: Seat) {
        taken += 1
        takenByHost[seat.host, default: 0] += 1
        if seat.isStream { takenByStreams += 1 }
    }
}
