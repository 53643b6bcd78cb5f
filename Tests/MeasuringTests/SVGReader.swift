import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The bars and texts of a picture, as the XML parser of Foundation reads them.
final class SVGReader: NSObject, XMLParserDelegate {
    struct Bar {
        let phase: String
        let x: Double
        let width: Double
    }

    private(set) var bars: [Bar] = []
    private(set) var texts: [String] = []
    private(set) var title = ""
    /// The reason why the picture is not well-formed XML; nil if it is.
    private(set) var problem: String?
    private var current = ""

    init(_ svg: String) {
        super.init()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = self
        if !parser.parse() { problem = parser.parserError.map { "\($0)" } ?? "not parsed" }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        current = ""
        guard name == "rect", let phase = attributes["class"], phase != "paper" else { return }
        bars.append(Bar(phase: phase, x: Self.number(attributes["x"]), width: Self.number(attributes["width"])))
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { current += text }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        if name == "text" { texts.append(current) }
        if name == "title" { title = current }
    }

    private static func number(_ text: String?) -> Double { text.flatMap(Double.init) ?? -1 }
}
