import Foundation
import Harness

// Counts the allocations of the operations that an app repeats most, and fails if one makes more than its limit.

#if DEBUG
    print("error: Debug builds make other allocations. Add -c release.")
    exit(1)
#else
    guard Allocations.areCounted else {
        print("error: Allocations can be counted on Linux with glibc only.")
        exit(1)
    }
    let counts = try (promises() + hits() + calls() + joiners()).map { try $0.count() }
    print(counts.report)
    exit(counts.meetLimits ? 0 : 1)
#endif
