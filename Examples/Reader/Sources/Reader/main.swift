import Foundation
import Tango

let options: Options
do {
    options = try Options(Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
} catch {
    say("reader: \(error)\n\n\(Options.usage)")
    exit(Exit.usage.rawValue)
}

var end = Exit.success
do {
    let library = try Library(options: options)
    do {
        try await Reader(options: options, library: library).run()
    } catch {
        end = Exit.after(error, options: options)
    }
    // What was received is on the disk before the process ends.
    await library.client.finishStoring()
    if options.drawsWaterfall { say(library.waterfall.text()) }
} catch {
    end = Exit.after(error, options: options)
}
exit(end.rawValue)
