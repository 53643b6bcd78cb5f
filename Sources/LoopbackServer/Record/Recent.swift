/// The newest elements of a sequence. Each has its number in the whole sequence.
struct Recent<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    /// The number of elements before the first of `elements`.
    private var dropped = 0
    private let limit: Int

    /// The number of elements to store: at least 64, because waits must see elements that are not recorded.
    private var kept: Int { max(64, limit) }

    init(limit: Int) {
        self.limit = limit
    }

    /// The number of all elements so far.
    var total: Int { dropped + elements.count }

    /// The recorded elements.
    var all: [Element] { limit < elements.count ? Array(elements.suffix(limit)) : elements }

    mutating func append(_ element: Element) {
        elements.append(element)
        // The array grows to twice the number, so that removals from its front are rare.
        guard limit < .max / 2, elements.count >= kept * 2 else { return }
        let excess = elements.count - kept
        elements.removeFirst(excess)
        dropped += excess
    }

    /// Returns the stored elements from a number on.
    func from(_ number: Int) -> ArraySlice<Element> {
        elements[min(elements.count, max(0, number - dropped))...]
    }

    /// The number of the first stored element.
    var first: Int { dropped }
}
