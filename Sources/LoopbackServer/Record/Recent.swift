/// The newest of a sequence of elements, each of which keeps its number.
struct Recent<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    /// How many there were before the first of `elements`.
    private var dropped = 0
    private let limit: Int

    /// Those who wait must see even what is not to be remembered.
    private var kept: Int { max(64, limit) }

    init(limit: Int) {
        self.limit = limit
    }

    /// How many there were altogether.
    var total: Int { dropped + elements.count }

    /// Those that are remembered.
    var all: [Element] { limit < elements.count ? Array(elements.suffix(limit)) : elements }

    mutating func append(_ element: Element) {
        elements.append(element)
        // Twice as many as wished, so that moving the rest to the front costs little.
        guard limit < .max / 2, elements.count >= kept * 2 else { return }
        let excess = elements.count - kept
        elements.removeFirst(excess)
        dropped += excess
    }

    /// The elements from a number on, as far as they are remembered.
    func from(_ number: Int) -> ArraySlice<Element> {
        elements[min(elements.count, max(0, number - dropped))...]
    }

    /// The number of the first that is remembered.
    var first: Int { dropped }
}
