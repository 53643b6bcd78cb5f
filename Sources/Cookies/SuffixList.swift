/// A list of public suffixes in the format of publicsuffix.org.
struct SuffixList: Sendable {
    private var rules: Set<ExactString> = []
    /// Domains below which each label is a public suffix: `*.ck` is here as `ck`.
    private var wildcards: Set<ExactString> = []
    private var exceptions: Set<ExactString> = []

    var count: Int { rules.count + wildcards.count + exceptions.count }
    var isEmpty: Bool { count == 0 }

    init(_ text: String) {
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let word = Substring(line.prefix { $0 != 0x20 && $0 != 0x09 })
            guard !word.isEmpty, !word.utf8.starts(with: "//".utf8) else { continue }
            if word.utf8.first == UInt8(ascii: "!") {
                exceptions.insert(Self.form(word.dropFirst()))
            } else if word.utf8.starts(with: "*.".utf8) {
                wildcards.insert(Self.form(word.dropFirst(2)))
            } else {
                rules.insert(Self.form(word))
            }
        }
    }

    /// Returns a rule in the form in which hosts are sent: in lower case and in ASCII.
    private static func form(_ rule: Substring) -> ExactString {
        let labels = rule.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
        let forms = labels.map { label in
            label.utf8.allSatisfy { $0 < 0x80 }
                ? label.lowercasedToken : "xn--" + Punycode.encode(label.lowercased().unicodeScalars)
        }
        return ExactString(forms.joined(separator: "."))
    }

    /// Returns whether a domain is a public suffix. An unknown domain of one label is one.
    func contains(_ domain: String) -> Bool {
        let name = ExactString(domain)
        if exceptions.contains(name) { return false }
        if rules.contains(name) { return true }
        guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return true }
        return wildcards.contains(ExactString(String(domain[domain.utf8.index(after: dot)...])))
    }
}

/// The form in which international names are sent (RFC 3492).
enum Punycode {
    private static let base = 36
    private static let leastThreshold = 1
    private static let mostThreshold = 26

    /// Returns the encoded form of a label, without `xn--`.
    static func encode(_ label: some Sequence<Unicode.Scalar>) -> String {
        let scalars = label.map { Int($0.value) }
        var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
        let basic = output.count
        var handled = basic
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var next = 0x80
        var delta = 0
        var bias = 72
        while handled < scalars.count, let least = scalars.lazy.filter({ $0 >= next }).min() {
            delta += (least - next) * (handled + 1)
            next = least
            for scalar in scalars {
                if scalar < next { delta += 1 }
                guard scalar == next else { continue }
                output += digits(of: delta, bias)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func digits(of delta: Int, _ bias: Int) -> [UInt8] {
        var digits: [UInt8] = []
        var rest = delta
        var place = base
        while true {
            let threshold = min(max(place - bias, leastThreshold), mostThreshold)
            if rest < threshold { return digits + [digit(rest)] }
            digits.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            place += base
        }
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? value + 0x61 : value - 26 + 0x30)
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - leastThreshold) * mostThreshold / 2 {
            delta /= base - leastThreshold
            steps += base
        }
        return steps + (base - leastThreshold + 1) * delta / (delta + 38)
    }
}
