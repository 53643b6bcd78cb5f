/// The log of a transfer, from which a run has taken the attempts so far.
struct SharedLog: Sendable {
    let core: CallCore
    /// The place of the first attempt of the transfer in the log of the run.
    let start: Int
    /// The number of attempts that the run has taken.
    let count: Int

    /// Returns the log of the run with the attempts of the transfer that have ended or begun meanwhile.
    func completing(_ log: [Attempt]) -> [Attempt] {
        let all = core.attempts
        guard all.count > count || all.indices.contains(where: { isOpen($0, log) }) else { return log }
        var log = log
        let newest = all.numbered(after: start)
        for place in 0..<count where isOpen(place, log) { log[start + place] = newest[place] }
        return log + Array(all[count...]).numbered(after: log.count - count)
    }

    private func isOpen(_ place: Int, _ log: [Attempt]) -> Bool {
        place < count && log[start + place].ended == nil
    }
}

extension [Attempt] {
    /// Returns the attempts with numbers that follow those of other attempts.
    func numbered(after count: Int) -> [Attempt] {
        guard count > 0 else { return self }
        return map { attempt in
            var attempt = attempt
            attempt.number += count
            return attempt
        }
    }
}
