import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct JSONCodingTests {
    struct Event: Codable, Equatable { var at: Date }

    private func text(_ coding: JSONCoding, _ event: Event) throws -> String {
        try String(decoding: coding.encoder.encode(event), as: UTF8.self)
    }

    @Test func datesAreISO8601() throws {
        let coding = JSONCoding.default
        #expect(try text(coding, Event(at: Date(timeIntervalSince1970: 0))) == #"{"at":"1970-01-01T00:00:00Z"}"#)
        #expect(try text(coding, Event(at: Date(timeIntervalSince1970: 1.5))) == #"{"at":"1970-01-01T00:00:01.500Z"}"#)
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:01.5Z", 1.5), ("1970-01-01T01:00:00+01:00", 0),
        ] {
            let event = try coding.decoder.decode(Event.self, from: Data(#"{"at":"\#(text)"}"#.utf8))
            #expect(event.at.timeIntervalSince1970 == seconds)
        }
    }

    @Test func errorOfAnInvalidDateNamesTheExpectedFormat() throws {
        for (body, found) in [(#"{"at": 5}"#, "a number"), (#"{"at": "now"}"#, "a string"), (#"{"at": null}"#, "null")]
        {
            let response = HTTPResponse(status: .ok, body: Data(body.utf8))
            let error = try #require(throws: RequestError.self) { try Serializer<Event>.json.serialize(response) }
            #expect(error.detail.contains("expected a date in ISO 8601 at at, found \(found)"), "\(error)")
        }
        #expect(throws: EncodingError.self) { try text(.default, Event(at: .distantPast - 1e11)) }
    }

    @Test func encoderAndDecoderMayBeSetSeparately() throws {
        let seconds = JSONCoding(makeEncoder: {
            let encoder = JSONCoding.makeDefaultEncoder()
            encoder.dateEncodingStrategy = .secondsSince1970
            return encoder
        })
        let event = Event(at: Date(timeIntervalSince1970: 1))
        #expect(try text(seconds, event) == #"{"at":1}"#)
        #expect(try seconds.decoder.decode(Event.self, from: Data(#"{"at":"1970-01-01T00:00:01Z"}"#.utf8)) == event)
        #expect(seconds.encoder !== seconds.encoder)

        let reading = JSONCoding(makeDecoder: {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .secondsSince1970
            return decoder
        })
        #expect(try reading.decoder.decode(Event.self, from: Data(#"{"at":1}"#.utf8)) == event)
        #expect(try text(reading, event) == #"{"at":"1970-01-01T00:00:01Z"}"#)

        let shared = JSONCoding(decoder: JSONDecoder())
        #expect(shared.decoder === shared.decoder)
        #expect(try text(shared, event) == #"{"at":"1970-01-01T00:00:01Z"}"#)
        #expect(try text(JSONCoding(encoder: JSONEncoder()), event) == #"{"at":-978307199}"#)
    }
}
