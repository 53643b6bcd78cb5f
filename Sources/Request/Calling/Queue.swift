/// A first-in, first-out queue with operations in amortised constant time.
struct Queue<Element> {
    private var newest: [Element] = []
    /// In reverse order: the first element is at the end.
    private var oldest: [Element] = []

    var isEmpty: Bool { newest.isEmpty && oldest.isEmpty }

    mutating func append(_ element: Element) {
        newest.append(element)
    }

    mutating func popFirst() -> Element? {
        if oldest.isEmpty {
            oldest = newest.reversed()
            newest = []
        }
        return oldest.popLast()
    }
}
