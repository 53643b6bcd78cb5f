extension CallProgress {
    /// With the length of a response, which transports need not read without a follower.
    func completed(by response: HTTPResponse?) -> CallProgress {
        guard receivedTotal == nil, let length = response?.headers.contentLength else {
            return self
        }
        var progress = self
        progress.receivedTotal = length
        return progress
    }
}

extension Broadcast where Value == CallProgress {
    /// Takes a newer progress. Several threads bring it, so that an older one may come later.
    func rise(to progress: CallProgress) {
        update { value in
            guard value != progress, progress.sent >= value.sent, progress.received >= value.received else {
                return false
            }
            value = progress
            return true
        }
    }
}
