/// Names in snake case, by the rule of `JSONEncoder`: `firstName` becomes `first_name`, and `myURLPath` becomes `my_url_path`.
enum SnakeCase {
    static func text(_ name: String) -> String {
        guard !name.isEmpty else { return name }
        var words: [Substring] = []
        var start = name.startIndex
        // The first character begins a word, whatever its case.
        var rest = name[name.index(after: start)...]
        while let upper = rest.firstIndex(where: \.isUppercase) {
            words.append(name[start..<upper])
            start = upper
            guard let lower = name[upper...].firstIndex(where: \.isLowercase) else { break }
            // Of several capitals, the last one begins the next word.
            let last = name.index(before: lower)
            if last > upper {
                words.append(name[upper..<last])
                start = last
            }
            rest = name[name.index(after: lower)...]
        }
        return (words + [name[start...]]).map { $0.lowercased() }.joined(separator: "_")
    }
}
