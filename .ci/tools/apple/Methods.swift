/// The methods that a text declares, with their full names.
struct Methods {
    struct Method: Hashable {
        let base: String
        /// `urlSession(_:task:didCompleteWithError:)`
        let name: String
        let line: Int
    }

    let all: [Method]

    init(in declarations: Substring) {
        let text = declarations.replacing(/\/\/.*/, with: "")
        var found: [Method] = []
        var line = 1
        var start = text.startIndex
        for match in text.matches(of: /\bfunc (\w+)\(/) {
            line += text[start..<match.range.lowerBound].count { $0 == "\n" }
            start = match.range.lowerBound
            let labels = Self.labels(text[match.range.upperBound...]).map { "\($0):" }.joined()
            found.append(Method(base: String(match.1), name: "\(match.1)(\(labels))", line: line))
        }
        all = found
    }

    /// Returns the labels of a list of parameters. The text begins after its parenthesis.
    private static func labels(_ text: Substring) -> [Substring] {
        var labels: [Substring] = []
        var depth = 0
        var isLabel = true
        var previous: Character = "("
        for index in text.indices {
            let character = text[index]
            switch character {
            case "(", "[", "<": depth += 1
            case ")" where depth == 0: return labels
            case ">" where previous == "-": break
            case ")", "]", ">": depth -= 1
            case "," where depth == 0: isLabel = true
            case _ where isLabel && !character.isWhitespace:
                labels.append(text[index...].prefix { $0 == "_" || $0.isLetter || $0.isNumber })
                isLabel = false
            default: break
            }
            previous = character
        }
        return labels
    }

    /// Returns an error for each method that shares its base name with a delegate's method, and not its labels. The compiler
    /// accepts such a method, and no session ever calls it.
    func unknown(to requirements: Set<String>, in file: String) -> [Diagnostic] {
        let bases = Set(requirements.map { $0.prefix { $0 != "(" } })
        return all.filter { bases.contains(Substring($0.base)) && !requirements.contains($0.name) }.map { method in
            Diagnostic(
                text: "\(file):\(method.line):1: error: no protocol in Tests/AppleShapes has the method \(method.name)")
        }
    }
}
