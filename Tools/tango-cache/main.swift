import CacheTool

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

Interruption.watch()
exit(await Tool.run(Array(CommandLine.arguments.dropFirst()), on: .standard).rawValue)
