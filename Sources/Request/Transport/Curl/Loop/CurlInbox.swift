#if os(Linux)
    import Synchronization

    /// The commands that wait for whoever drives a loop, and whether the loop's thread is going to look at them anyway.
    ///
    /// Any thread adds, and no thread ever waits: both are one word, the newest command with the flag in its lowest bit.
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

        /// All commands, the oldest first.
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

        /// Whether there are commands that nobody is going to look at by himself.
        var needsDriver: Bool {
            let word = word.load(ordering: .acquiring)
            return word != 0 && word & Self.awake == 0
        }

        /// The loop's thread is going to look.
        func wake() {
            word.bitwiseOr(Self.awake, ordering: .acquiringAndReleasing)
        }

        /// The loop's thread is not going to look any more. Returns false, and changes nothing, if there is something.
        func sleep() -> Bool {
            word.compareExchange(expected: Self.awake, desired: 0, ordering: .acquiringAndReleasing).exchanged
        }
    }
#endif
