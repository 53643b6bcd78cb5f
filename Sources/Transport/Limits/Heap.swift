/// A binary heap: the first element is always the one that is before all others.
///
/// Elements that know their indexes can be moved and removed in logarithmic time.
package struct Heap<Element> {
    private var elements: [Element] = []
    private let isBefore: (Element, Element) -> Bool
    private let setIndex: (Element, Int?) -> Void

    /// - Parameter setIndex: Stores the index of an element; nil when it is removed.
    package init(
        _ isBefore: @escaping (Element, Element) -> Bool, setIndex: @escaping (Element, Int?) -> Void = { _, _ in }
    ) {
        self.isBefore = isBefore
        self.setIndex = setIndex
    }

    package var first: Element? { elements.first }
    var count: Int { elements.count }

    package mutating func insert(_ element: Element) {
        elements.append(element)
        restore(at: elements.count - 1)
    }

    package mutating func removeFirst() {
        remove(at: 0)
    }

    mutating func remove(at index: Int) {
        let last = elements.count - 1
        elements.swapAt(index, last)
        setIndex(elements.removeLast(), nil)
        if index < last { restore(at: index) }
    }

    mutating func removeAll() {
        for element in elements { setIndex(element, nil) }
        elements = []
    }

    /// Moves an element to where it belongs, after its order has changed.
    mutating func restore(at start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard isBefore(elements[index], elements[parent]) else { break }
            swap(&index, with: parent)
        }
        while true {
            var first = index
            for child in 2 * index + 1..<2 * index + 3 where child < elements.count {
                if isBefore(elements[child], elements[first]) { first = child }
            }
            guard first != index else { break }
            swap(&index, with: first)
        }
        setIndex(elements[index], index)
    }

    private mutating func swap(_ index: inout Int, with other: Int) {
        elements.swapAt(index, other)
        setIndex(elements[index], index)
        index = other
    }
}
