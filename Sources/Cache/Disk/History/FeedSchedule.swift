/// The times at which a store looks for the changes of others.
struct FeedSchedule: Equatable, Sendable {
    /// The shortest and the longest time between two looks while others use the folder.
    static let shortest = Duration.milliseconds(50)
    static let longest = Duration.milliseconds(400)

    /// The time between two looks while no other store has the folder open.
    static let alone = Duration.seconds(1)

    private(set) var pause = Self.shortest

    /// Returns the time until the next look.
    ///
    /// - Parameters:
    ///   - hasChanges: Returns whether the last look has found changes.
    ///   - hasOthers: Returns whether other stores have the folder open.
    mutating func next(hasChanges: Bool, hasOthers: Bool) -> Duration {
        guard hasOthers else {
            pause = Self.shortest
            return Self.alone
        }
        pause = hasChanges ? Self.shortest : min(pause * 2, Self.longest)
        return pause
    }
}
