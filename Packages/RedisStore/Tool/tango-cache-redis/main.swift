import CacheTool
import RedisTool

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

Interruption.watch()
let opener = RedisOpener(.process)
let arguments = Array(CommandLine.arguments.dropFirst())
exit(await Tool.run(arguments, on: .standard(of: opener.name), opening: opener).rawValue)
