#if os(Linux)
    import TangoCLinux

    /// A poller with level-triggered epoll: a socket with unread bytes is reported again.
    final class EpollPoller: Poller {
        private static let room = 512

        private let descriptor: Int32
        private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: room)

        init() throws {
            descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard descriptor >= 0 else { throw Socket.failure("wait for sockets") }
        }

        deinit {
            close(descriptor)
            events.deallocate()
        }

        func add(_ descriptor: Int32, _ interest: SocketEvents) {
            control(EPOLL_CTL_ADD, descriptor, interest)
        }

        func change(_ descriptor: Int32, to interest: SocketEvents) {
            control(EPOLL_CTL_MOD, descriptor, interest)
        }

        func remove(_ descriptor: Int32) {
            control(EPOLL_CTL_DEL, descriptor, [])
        }

        private func control(_ operation: Int32, _ target: Int32, _ interest: SocketEvents) {
            var event = epoll_event()
            if interest.contains(.reading) { event.events |= EPOLLIN.rawValue }
            if interest.contains(.writing) { event.events |= EPOLLOUT.rawValue }
            if interest.contains(.end) { event.events |= EPOLLRDHUP.rawValue }
            event.data.fd = target
            epoll_ctl(descriptor, operation, target, &event)
        }

        func wait(milliseconds: Int32, _ body: (Int32, SocketEvents) -> Void) {
            let count = epoll_wait(descriptor, events, Int32(Self.room), milliseconds)
            guard count > 0 else { return }
            for index in 0..<Int(count) {
                let flags = events[index].events
                var readiness: SocketEvents = []
                if flags & EPOLLIN.rawValue != 0 { readiness.insert(.reading) }
                if flags & EPOLLOUT.rawValue != 0 { readiness.insert(.writing) }
                if flags & EPOLLRDHUP.rawValue != 0 { readiness.insert(.end) }
                if flags & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { readiness.insert(.broken) }
                body(events[index].data.fd, readiness)
            }
        }
    }
#endif
