/// The blocks of a PEM text, with their labels and bytes.
package struct PEM {
    struct Block {
        let label: String
        let bytes: Data
        /// A Boolean value that indicates whether the bytes are encrypted with a passphrase.
        let isEncrypted: Bool
    }

    let blocks: [Block]

    /// Returns nil if the data contains no block, as in DER.
    init?(_ data: Data) throws(BadTrust) {
        guard data.range(of: Data("-----BEGIN ".utf8)) != nil else { return nil }
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { $0.trimmedOfBlanks }
        var blocks: [Block] = []
        var open: (label: String, text: String, isEncrypted: Bool)?
        for line in lines {
            if let label = line.between("-----BEGIN ", "-----") {
                guard open == nil else { throw BadTrust("a block begins within another") }
                open = (label, "", label.contains("ENCRYPTED"))
            } else if let label = line.between("-----END ", "-----") {
                guard let block = open, block.label == label, let bytes = Data(base64Encoded: block.text) else {
                    throw BadTrust("the block \(label) is damaged")
                }
                blocks.append(Block(label: label, bytes: bytes, isEncrypted: block.isEncrypted))
                open = nil
            } else if line.contains(":") {
                if line.contains("ENCRYPTED") { open?.isEncrypted = true }
            } else {
                open?.text += line
            }
        }
        if let open { throw BadTrust("the block \(open.label) has no end") }
        self.blocks = blocks
    }

    package static func encode(_ bytes: Data, label: String) -> String {
        var text = "-----BEGIN \(label)-----\n"
        var rest = bytes.base64EncodedString()[...]
        while !rest.isEmpty {
            text += rest.prefix(64)
            text += "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END \(label)-----\n"
    }
}

extension Substring {
    fileprivate var trimmedOfBlanks: Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    fileprivate func between(_ start: String, _ end: String) -> String? {
        guard hasPrefix(start), hasSuffix(end), count > start.count + end.count else { return nil }
        return String(dropFirst(start.count).dropLast(end.count))
    }
}
