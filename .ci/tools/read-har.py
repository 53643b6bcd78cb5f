"""Reads the recording of `RequestProcess sampleRecording` with haralyzer, and compares what it finds."""

import base64
import sys
from urllib.parse import urlsplit

from haralyzer import HarEntry, HarParser

parser = HarParser.from_file(sys.argv[1])
assert parser.version == "1.2", parser.version
assert parser.creator["name"] == "Tango", parser.creator

entries = [HarEntry(entry) for entry in parser.har_data["entries"]]
found = [
    (entry.request.method, urlsplit(entry.request.url).path, entry.response.status, entry.get("_cause") or entry["_cache"])
    for entry in entries
]
expected = [
    ("POST", "/bytes", 200, "first"),
    ("GET", "/retried", 503, "first"),
    ("GET", "/retried", 302, "retry"),
    ("GET", "/text", 200, "redirect"),
    ("GET", "/text", 200, "fresh"),
    ("POST", "/lost", 0, "first"),
]
assert found == expected, found

binary = entries[0].response
assert base64.b64decode(binary.text) == bytes([0, 1, 255]) and binary.textEncoding == "base64", binary.text
assert entries[0].request["postData"]["params"] == [{"name": "a", "value": "1"}, {"name": "b", "value": "c d"}]
assert entries[3].response.text == "Grüße" and entries[4].response.text == "Grüße"
assert entries[2].response.redirectURL == "/text"
assert entries[5].request.text == '{"id":1}', entries[5].request.text
for entry in entries:
    assert entry.startTime.tzinfo is not None and entry.time >= 0, entry
print(f"haralyzer reads {len(entries)} entries as they were recorded")
