extension String {
    /// A Boolean value that indicates whether every character is safe to print in a line of a terminal.
    package var isPrintable: Bool {
        unicodeScalars.allSatisfy(\.isPrintable)
    }

    /// The text, with each unprintable character replaced by its number.
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
    /// False for characters that move the cursor, colour a terminal, or change the direction of text.
    package var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }
}
