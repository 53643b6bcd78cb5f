import Foundation
import Observation
import Tango

/// The messages of a room for a view: the history, new ones as they are sent, and those that the user is sending.
@MainActor @Observable
public final class RoomModel {
    /// A message of the user that the server does not have yet.
    public struct Draft: Identifiable, Sendable {
        public let id: String
        public let text: String
        /// The reason why it was not sent; nil while it is on its way.
        public internal(set) var problem: String?
    }

    public enum Connection: Equatable, Sendable {
        case connecting, live, reconnecting, closed
    }

    public let room: Room
    /// From the oldest to the newest.
    public private(set) var messages: [Message] = []
    public private(set) var drafts: [Draft] = []
    public private(set) var connection = Connection.closed
    /// The reason why the history or the updates ended.
    public private(set) var problem: String?
    public private(set) var isLoadingEarlier = false
    public var hasEarlier: Bool { cursor != nil }

    private var cursor: String?
    @ObservationIgnored private let chat: Chat

    public init(_ room: Room, of chat: Chat) {
        (self.room, self.chat) = (room, chat)
    }

    /// Loads the history and follows the room, until the task is cancelled or the server refuses.
    ///
    /// Call it in `task` of SwiftUI: it ends when the view disappears.
    public func follow() async {
        (connection, problem) = (.connecting, nil)
        defer { connection = .closed }
        do {
            // With a cache, the cached history comes first.
            for try await history in chat.history(of: room.id).values { show(history) }
            let updates = try await chat.updates(of: room.id, after: messages.last?.id).promise.value
            connection = .live
            let states = Task { [weak self] in
                for await state in updates.states {
                    // A state may still arrive when the connection is closed.
                    if Task.isCancelled { return }
                    self?.show(state)
                }
            }
            defer { states.cancel() }
            for try await message in updates { insert(message) }
        } catch is CancellationError {
            // The view has disappeared.
        } catch {
            problem = error.localizedDescription
        }
    }

    /// Loads the messages before the oldest one, when the user scrolls there.
    public func loadEarlier() async {
        guard let cursor, !isLoadingEarlier else { return }
        isLoadingEarlier = true
        defer { isLoadingEarlier = false }
        do {
            let history = try await chat.history(of: room.id, before: cursor).promise.value
            history.messages.forEach(insert)
            self.cursor = history.earlier
        } catch is CancellationError {
            // The user has scrolled on. The cursor is still there.
        } catch {
            problem = error.localizedDescription
        }
    }

    /// Shows a message at once, and sends it.
    public func send(_ text: String) async {
        let draft = Draft(id: UUID().uuidString, text: text)
        drafts.append(draft)
        await deliver(draft)
    }

    /// Sends a message again that was not sent. It has the same key, so the server takes it once.
    public func retry(_ draft: Draft) async {
        guard let index = drafts.firstIndex(where: { $0.id == draft.id && $0.problem != nil }) else { return }
        drafts[index].problem = nil
        await deliver(draft)
    }

    public func discard(_ draft: Draft) {
        drafts.removeAll { $0.id == draft.id }
    }

    private func deliver(_ draft: Draft) async {
        do {
            let message = try await chat.send(draft.text, to: room.id, key: draft.id).promise.value
            drafts.removeAll { $0.id == draft.id }
            insert(message)
        } catch {
            guard let index = drafts.firstIndex(where: { $0.id == draft.id }) else { return }
            drafts[index].problem = error.localizedDescription
        }
    }

    private func show(_ history: History) {
        // Messages are missing between those of the model and these, so start anew. Otherwise, the earlier ones stay.
        guard let newest = messages.last, let first = history.messages.first, newest.id >= first.id else {
            (messages, cursor) = (history.messages, history.earlier)
            return
        }
        history.messages.forEach(insert)
    }

    private func show(_ state: EventStreamState) {
        switch state {
        case .open: connection = .live
        case .reconnecting: connection = .reconnecting
        case .closed: break
        }
    }

    /// Inserts a message at its place. One that is there already, because it came another way, is replaced.
    private func insert(_ message: Message) {
        let index = messages.lastIndex { $0.id <= message.id }
        guard let index else { return messages.insert(message, at: 0) }
        if messages[index].id != message.id {
            messages.insert(message, at: index + 1)
        } else if messages[index] != message {
            messages[index] = message
        }
    }
}
