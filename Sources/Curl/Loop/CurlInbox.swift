#if os(Linux)
    import Synchronization

    /// The commands for the driver of a loop, and a flag that is set while the loop's thread is awake and will handle
    /// them.
    ///
    /// Any thread may add commands, without blocking. One word holds the newest command and, in its lowest bit, the
    /// flag.
    final class CurlInbox: Sendable {
        private final class Item {
            let command: CurlLoop.Command
            var next: UInt = 0

            init(_ command: CurlLoop.Command) {
                self.command = command
            }
        }

        private static let awake: UInt = 1
        private let word = Atomic<UInt>(0)

        deinit {
            _ = takeAll()
        }

        /// Adds a command. Returns whether the loop's thread is awake, and so will handle it.
        func add(_ command: CurlLoop.Command) -> Bool {
            let item = Item(command)
            let address = UInt(bitPattern: Unmanaged.passRetained(item).toOpaque())
            var old = word.load(ordering: .relaxed)
            while true {
                item.next = old & ~Self.awake
                let (exchanged, seen) = word.weakCompareExchange(
                    expected: old, desired: address | old & Self.awake, ordering: .acquiringAndReleasing)
                if exchanged { return old & Self.awake != 0 }
                old = seen
            }
        }

        /// Takes all commands, the oldest first.
        func takeAll() -> [CurlLoop.Command] {
            guard word.load(ordering: .relaxed) & ~Self.awake != 0 else { return [] }
            var address = word.bitwiseAnd(Self.awake, ordering: .acquiringAndReleasing).oldValue & ~Self.awake
            var commands: [CurlLoop.Command] = []
            while let pointer = UnsafeRawPointer(bitPattern: address) {
                let item = Unmanaged<Item>.fromOpaque(pointer).takeRetainedValue()
                commands.append(item.command)
                address = item.next
            }
            commands.reverse()
            return commands
        }

        /// A Boolean value that indicates whether there are commands that the loop's thread will not handle by itself.
        var needsDriver: Bool {
            let word = word.load(ordering: .acquiring)
            return word != 0 && word & Self.awake == 0
        }

        /// Sets the flag: the loop's thread is awake.
        func wake() {
            word.bitwiseOr(Self.awake, ordering: .acquiringAndReleasing)
        }

        /// Clears the flag: the loop's thread sleeps. Returns false and changes nothing if there are commands.
        func sleep() -> Bool {
            word.compareExchange(expected: Self.awake, desired: 0, ordering: .acquiringAndReleasing).exchanged
        }
    }

    extension CurlLoop {
        /// A command for the loop's driver.
        enum Command {
            case start(CurlTransfer)
            /// The caller or the reader does not need the transfer any more.
            case leave(CurlTransfer)
            /// The reader has made room.
            case receive(CurlTransfer)
            /// The upload has bytes again.
            case send(CurlTransfer)
            /// The upload has failed.
            indirect case fail(CurlTransfer, RequestError)
            /// No transfer will be started any more.
            case retire
            case shutDown
        }
    }
#endif
