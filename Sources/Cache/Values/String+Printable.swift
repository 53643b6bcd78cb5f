extension String {
    /// Whether every character has a place in a line, and leaves a terminal alone.
    package var isPrintable: Bool {
        unicodeScalars.allSatisfy(\.isPrintable)
    }

    /// The text with what cannot be printed written as its number.
    package var printable: String {
        guard !isPrintable else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isPrintable {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
    }
}

extension Unicode.Scalar {
    /// False for what moves the cursor, colours a terminal, or changes the direction of the text around it.
    package var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }
}
