/// The ratios of one version, as a text file stores them.
public struct StoredRatios: Equatable, Sendable {
    /// A row, by the names of its group and of itself.
    public struct Key: Hashable, Sendable {
        public let group: String
        public let row: String

        public init(group: String, row: String) {
            self.group = group
            self.row = row
        }
    }

    public let version: String
    public var ratios: [Key: Spread]

    public init(version: String, ratios: [Key: Spread]) {
        self.version = version
        self.ratios = ratios
    }

    /// The ratios of a run, without the rows of other programs and libraries.
    public init(version: String, of run: Run) {
        self.version = version
        ratios = [:]
        for summary in run.summaries where !summary.row.isComparison {
            ratios[summary.key] = summary.ratios
        }
    }

    // MARK: The file

    public struct Malformed: Error, Equatable {
        public let line: String

        public init(line: String) {
            self.line = line
        }
    }

    /// Reads a file: one line for each row, with its group, its name, and the lower quartile, the median and the upper
    /// quartile of its ratios, separated by tabs.
    public init(version: String, text: String) throws(Malformed) {
        self.version = version
        ratios = [:]
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t").map(String.init)
            let numbers = fields.dropFirst(2).compactMap(Double.init)
            guard fields.count == 5, numbers.count == 3 else { throw Malformed(line: String(line)) }
            ratios[Key(group: fields[0], row: fields[1])] = Spread(
                lower: numbers[0], median: numbers[1], upper: numbers[2])
        }
    }

    /// The text of the file, in the order of the names.
    public var text: String {
        ratios.sorted { ($0.key.group, $0.key.row) < ($1.key.group, $1.key.row) }.map { key, ratio in
            let numbers = [ratio.lower, ratio.median, ratio.upper].map { Format.significant($0) }
            return ([key.group, key.row] + numbers).joined(separator: "\t") + "\n"
        }.joined()
    }

    // MARK: The comparison

    /// A row whose ratio is worse than the stored one.
    public struct Loss: Sendable {
        public let key: Key
        public let stored: Spread
        public let measured: Spread
    }

    /// Returns the rows that a later measurement finds worse, by name. Rows that one of the two does not have are left out.
    public func losses(in later: StoredRatios) -> [Loss] {
        later.ratios.compactMap { key, measured in
            guard let stored = ratios[key], measured.isWorse(than: stored) else { return nil }
            return Loss(key: key, stored: stored, measured: measured)
        }.sorted { ($0.key.group, $0.key.row) < ($1.key.group, $1.key.row) }
    }
}

extension Spread {
    /// Returns true if these ratios are worse than stored ones beyond the noise of both measurements.
    ///
    /// Three of four rounds have to be slower than the stored median, by more than the distance between the quartiles. One
    /// twentieth is always noise: the same code takes so much longer at another place in memory.
    public func isWorse(than stored: Spread) -> Bool {
        lower > stored.median + max(noise, stored.noise, stored.median / 20)
    }
}

extension StoredRatios.Loss {
    /// The sentence that a developer needs to read.
    public var text: String {
        let range = "\(Format.significant(measured.lower)) to \(Format.significant(measured.upper))"
        return
            "error: \(key.group): \(key.row): \(Format.significant(measured.median)) times the reference, in half of the "
            + "rounds \(range). The ratio of the last version is \(Format.significant(stored.median))."
    }
}

extension Summary {
    var key: StoredRatios.Key { StoredRatios.Key(group: group, row: row.name) }
}

extension [StoredRatios] {
    /// The versions in order, so that `0.10.0` comes after `0.9.0`, and `0.1.0-unreleased` before `0.1.0`.
    public var inOrder: [StoredRatios] {
        sorted { $0.version.versionOrder.lexicographicallyPrecedes($1.version.versionOrder) }
    }
}

extension String {
    fileprivate var versionOrder: [Int] {
        let parts = split(separator: "-", maxSplits: 1)
        return (parts.first ?? "").split(separator: ".").map { Int($0) ?? 0 } + [parts.count == 1 ? 1 : 0]
    }
}
