/// A binary heap: the first element is always the one that is before all others.
struct Heap<Element> {
    private var elements: [Element] = []
    private let isBefore: (Element, Element) -> Bool

    init(_ isBefore: @escaping (Element, Element) -> Bool) {
        self.isBefore = isBefore
    }

    var first: Element? { elements.first }
    var count: Int { elements.count }

    /// Removes all elements for which a condition does not hold.
    mutating func keep(_ isWanted: (Element) -> Bool) {
        let all = elements
        elements = []
        for element in all where isWanted(element) { insert(element) }
    }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(elements[child], elements[parent]) else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() {
        guard elements.count > 1 else { return elements.removeAll() }
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        var parent = 0
        while true {
            var first = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < elements.count {
                if isBefore(elements[child], elements[first]) { first = child }
            }
            guard first != parent else { return }
            elements.swapAt(parent, first)
            parent = first
        }
    }
}
