// Stands in for Synchronization's Mutex while the thread sanitizer runs. On Linux that one hands over inside the kernel,
// where the sanitizer cannot see it, so that it would report nearly everything that a Mutex guards.
import Glibc

struct Mutex<Value: ~Copyable>: @unchecked Sendable {
    private let storage: Storage

    init(_ value: consuming sending Value) {
        storage = Storage(value)
    }

    func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(storage.mutex)
        defer { pthread_mutex_unlock(storage.mutex) }
        return try body(&storage.value.pointee)
    }

    func withLockIfAvailable<Result, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard pthread_mutex_trylock(storage.mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(storage.mutex) }
        return try body(&storage.value.pointee)
    }

    private final class Storage: @unchecked Sendable {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        // Behind a pointer, because a mirror would copy a value that cannot be copied. That of a real Mutex does not show it.
        let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

        init(_ value: consuming Value) {
            self.value.initialize(to: value)
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
            value.deinitialize(count: 1)
            value.deallocate()
        }
    }
}
