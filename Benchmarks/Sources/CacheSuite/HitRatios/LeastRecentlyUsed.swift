/// An LRU cache of numbers, for comparison.
struct LeastRecentlyUsed {
    private let capacity: Int
    private var places: [Int: Int] = [:]
    private var numbers: [Int] = []
    private var newer: [Int] = []
    private var older: [Int] = []
    private var newest = -1
    private var oldest = -1

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns true if the number is cached. Otherwise, caches it.
    mutating func ask(for number: Int) -> Bool {
        if let place = places[number] {
            unlink(place)
            link(place)
            return true
        }
        var place = numbers.count
        if place == capacity {
            place = oldest
            unlink(place)
            places[numbers[place]] = nil
            numbers[place] = number
        } else {
            numbers.append(number)
            newer.append(-1)
            older.append(-1)
        }
        places[number] = place
        link(place)
        return false
    }

    private mutating func unlink(_ place: Int) {
        if newer[place] < 0 { newest = older[place] } else { older[newer[place]] = older[place] }
        if older[place] < 0 { oldest = newer[place] } else { newer[older[place]] = newer[place] }
    }

    private mutating func link(_ place: Int) {
        newer[place] = -1
        older[place] = newest
        if newest < 0 { oldest = place } else { newer[newest] = place }
        newest = place
    }
}
