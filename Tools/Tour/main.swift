// A guided tour of Tango: `swift run Tour`. Each chapter is one file; read it beside its output.
import Tango

if let folder = Kill.folderOfWriter {
    try await Kill.write(in: folder)
}

print("Tango, a tour. The code is in Tools/Tour, one file for each chapter.")

try await requests()
try await responses()
try await promises()
try await caches()
try await measuring()
